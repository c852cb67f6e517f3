import type { CommandResult, CommandRunner, RunningCommand } from "@factotum/agent-contract";
import type { BrowserAnswer, BrowserReply, BrowserRequest, BrowserStart } from "../src/browser/browser-job.ts";

/** One started program of a browser. */
export interface FakeBrowser {
  readonly start: BrowserStart;
  readonly requests: readonly BrowserRequest[];
  /** Ends by itself. */
  end(end?: CommandResult["end"]): void;
  readonly isEnded: boolean;
}

/** A runner whose only program is that of browsers: it speaks its protocol over lines. */
export interface FakeBrowsers {
  readonly runner: CommandRunner;
  readonly started: readonly FakeBrowser[];
  /** What the next browsers answer; `undefined`: nothing. */
  answer: (request: BrowserRequest) => Partial<BrowserAnswer> | undefined;
  /** They go on when their input ends. */
  hangs: boolean;
  /** What the next browsers say about their start. */
  opening: BrowserReply;
}

export function createFakeBrowsers(): FakeBrowsers {
  const started: FakeBrowser[] = [];
  const fake: FakeBrowsers = {
    started,
    answer: () => ({}),
    hangs: false,
    opening: { type: "ready" },
    runner: {
      start: async () => startFake(fake, started),
      run: async () => {
        throw new Error("browsers are started, not run");
      },
    },
  };
  return fake;
}

function startFake(fake: FakeBrowsers, started: FakeBrowser[]): RunningCommand {
  let text = "";
  let isEnded = false;
  let wake = Promise.withResolvers<void>();
  const over = Promise.withResolvers<CommandResult>();
  const requests: BrowserRequest[] = [];
  let start: BrowserStart | undefined;
  const end = (how: CommandResult["end"]): void => {
    isEnded = true;
    over.resolve({ end: how, output: "", outputBytes: 0, durationMs: 0 });
    wake.resolve();
  };
  const tell = (reply: BrowserReply): void => {
    text += `noise of a library\n${start?.mark ?? ""}${JSON.stringify(reply)}\n`;
    wake.resolve();
    wake = Promise.withResolvers();
  };
  const take = (line: string): void => {
    if (start === undefined) {
      start = JSON.parse(line) as BrowserStart;
      started.push({
        start,
        requests,
        end: (how = { type: "exited", exitCode: 1 }) => end(how),
        get isEnded() {
          return isEnded;
        },
      });
      return tell(fake.opening);
    }
    const request = JSON.parse(line) as BrowserRequest;
    requests.push(request);
    const answer = fake.answer(request);
    if (answer !== undefined) tell({ type: "answer", id: request.id, isError: false, text: "done", downloads: [], ...answer });
  };
  return {
    ended: over.promise,
    write: (lines) => {
      for (const line of lines.split("\n").filter((one) => one !== "")) take(line);
      return "written";
    },
    closeInput: () => {
      if (!fake.hangs) end({ type: "exited", exitCode: 0 });
      return "written";
    },
    kill: () => end({ type: "aborted" }),
    output: {
      get length() {
        return text.length;
      },
      // One character at a time crosses every border.
      read: (offset) => ({ text: text.slice(offset, offset + 7), offset, next: Math.min(text.length, offset + 7) }),
      changed: async (length) => {
        while (text.length <= length && !isEnded) await wake.promise;
        return text.length > length;
      },
    },
  };
}
