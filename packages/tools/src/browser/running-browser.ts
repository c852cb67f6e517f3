import type { Clock, CommandResult, RunningCommand } from "@factotum/agent-contract";
import type { BrowserAnswer, BrowserReply, BrowserRequest, BrowserStart } from "./browser-job.ts";

/** How a request ended without an answer. */
export interface NoAnswer {
  readonly type: "none";
  /** For the model. */
  readonly message: string;
}

/** What a browser reports besides its answers. */
export interface BrowserReports {
  readonly onRefused: (request: { readonly host: string; readonly reason: string }) => void;
  /** Once nothing of it runs any more. */
  readonly onEnd: () => Promise<void>;
}

const START_MS = 45_000;
/** The slowest call waits 20 s for a page, twice. */
const ANSWER_MS = 75_000;
const LEAVE_MS = 5_000;
const READ_BYTES = 256 * 1024;
const AGAIN = "The next call starts it again, with its tabs closed.";

/** A browser with its program, from the start to the end. */
export class RunningBrowser {
  readonly #command: RunningCommand;
  readonly #clock: Clock;
  readonly #waiting = new Map<number, (answer: BrowserAnswer | NoAnswer) => void>();
  readonly #ready = Promise.withResolvers<NoAnswer | undefined>();
  /** Resolves once nothing of it runs and its files are removed. Never rejects. */
  readonly ended: Promise<void>;
  #nextId = 1;
  #isOver = false;
  #isStopping = false;
  #overBecause: string | undefined;

  constructor(command: RunningCommand, start: BrowserStart, { clock, ...reports }: BrowserReports & { readonly clock: Clock }) {
    this.#command = command;
    this.#clock = clock;
    void this.#follow(start.mark, reports);
    this.ended = command.ended.then(async (result) => {
      this.#end(this.#overBecause ?? reasonOf(result));
      await reports.onEnd();
    });
    command.write(`${JSON.stringify(start)}\n`);
  }

  /** Nothing can be asked of it any more. */
  get isOver(): boolean {
    return this.#isOver;
  }

  get isBusy(): boolean {
    return this.#waiting.size > 0;
  }

  /** Resolves with why it cannot be used; `undefined` once it can. Never rejects. */
  async ready(): Promise<NoAnswer | undefined> {
    using _timer = this.#clock.schedule(START_MS, () => this.stop("it did not start in time"));
    // Awaited: the time limit ends with the function.
    return await this.#ready.promise;
  }

  /** Asks for something. A browser that does not answer in time is ended. Never rejects. */
  async ask(request: Omit<BrowserRequest, "id">): Promise<BrowserAnswer | NoAnswer> {
    if (this.#isOver) return noAnswer("it has ended");
    const id = this.#nextId;
    this.#nextId += 1;
    const { promise, resolve } = Promise.withResolvers<BrowserAnswer | NoAnswer>();
    this.#waiting.set(id, resolve);
    using _timer = this.#clock.schedule(ANSWER_MS, () => this.stop("it did not answer in time"));
    if (this.#command.write(`${JSON.stringify({ id, ...request })}\n`) !== "written") this.stop("it takes no requests");
    return await promise;
  }

  /** Ends it: with its input first, so that it writes what pages have stored, and by force if it does not go. */
  stop(why: string): void {
    if (this.#isStopping) return;
    this.#isStopping = true;
    this.#overBecause = why;
    this.#end(why);
    if (this.#command.closeInput() !== "written") return this.#command.kill();
    const timer = this.#clock.schedule(LEAVE_MS, () => this.#command.kill());
    void this.ended.finally(() => timer[Symbol.dispose]());
  }

  #end(why: string): void {
    this.#isOver = true;
    this.#ready.resolve(noAnswer(why));
    for (const resolve of this.#waiting.values()) resolve(noAnswer(why));
    this.#waiting.clear();
  }

  /** Reads the lines of the program; others are of the libraries and mean nothing here. */
  async #follow(mark: string, { onRefused }: BrowserReports): Promise<void> {
    const { output } = this.#command;
    const { signal } = new AbortController();
    let [offset, line] = [0, ""];
    do {
      for (let part = output.read(offset, READ_BYTES); part.text !== ""; part = output.read(offset, READ_BYTES)) {
        if (part.offset !== offset) line = "";
        offset = part.next;
        const lines = (line + part.text).split("\n");
        line = lines.pop() ?? "";
        for (const one of lines) if (one.startsWith(mark)) this.#take(JSON.parse(one.slice(mark.length)) as BrowserReply, onRefused);
      }
    } while (await output.changed(offset, { signal }));
  }

  #take(reply: BrowserReply, onRefused: BrowserReports["onRefused"]): void {
    switch (reply.type) {
      case "ready":
        return this.#ready.resolve(undefined);
      case "unusable":
        return this.stop(`it did not start: ${reply.message}`);
      case "refused":
        return onRefused(reply);
      case "answer":
        this.#waiting.get(reply.id)?.(reply);
        this.#waiting.delete(reply.id);
    }
  }
}

function noAnswer(why: string): NoAnswer {
  return { type: "none", message: `The browser cannot be used now: ${why}. ${AGAIN}` };
}

function reasonOf({ end }: CommandResult): string {
  switch (end.type) {
    case "over-limit":
      return `it was ended, because it used more ${end.limit} than it may (${end.used} of ${end.allowed})`;
    case "not-started":
      return end.message.replace(/\.$/, "");
    default:
      return "it has ended unexpectedly";
  }
}
