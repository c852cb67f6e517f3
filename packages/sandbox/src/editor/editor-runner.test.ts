import type {
  Clock,
  CommandRequest,
  CommandRunner,
  EditorCommand,
  EditorStart,
  EditorTerminal,
  EditorTerminals,
  RunFacts,
} from "@factotum/agent-contract";
import { beforeEach, expect, test } from "vitest";
import { createEditorRunner } from "./editor-runner.ts";

const RUN = { runId: "r", kind: "user", sessionKey: "agent:main:acp:1", owner: true, workspace: "/p" } as RunFacts;
const REQUEST: CommandRequest = {
  command: { type: "argv", file: "make", args: ["all"] },
  cwd: "/p",
  env: { A: "1" },
  timeoutMs: 60_000,
  maxOutputBytes: 1_000,
};

/** A terminal that does what the test says. */
class FakeTerminals implements EditorTerminals {
  isOffered = true;
  isGone = false;
  failure: Error | undefined;
  refusal: string | undefined;
  readonly commands: EditorCommand[] = [];
  shown: string | Error = "";
  isCut = false;
  readonly calls: string[] = [];
  readonly end = Promise.withResolvers<{ readonly exitCode?: number; readonly signal?: string }>();

  offers(): boolean {
    return this.isOffered;
  }

  async start(command: EditorCommand): Promise<EditorStart> {
    if (this.failure !== undefined) throw this.failure;
    if (this.refusal !== undefined) return { type: "refused", reason: this.refusal };
    if (this.isGone) return { type: "none" };
    this.commands.push(command);
    const terminal: EditorTerminal = {
      ended: this.end.promise,
      output: async () => {
        if (this.shown instanceof Error) throw this.shown;
        return { text: this.shown, isCut: this.isCut };
      },
      kill: async () => {
        this.calls.push("kill");
        this.end.resolve({ signal: "SIGKILL" });
      },
      release: async () => void this.calls.push("release"),
    };
    return { type: "started", terminal };
  }
}

let fake: FakeTerminals;
let timers: { readonly delayMs: number; readonly callback: () => void }[];
const onHost: CommandRequest[] = [];
let seen: string;
const host: CommandRunner = {
  start: async (request) => {
    onHost.push(request);
    return { ended: Promise.resolve({ end: { type: "exited", exitCode: 0 }, output: "host", outputBytes: 4, durationMs: 0 }) } as never;
  },
  run: async () => Promise.reject(new Error("not used")),
};
const clock: Clock = {
  now: () => 0,
  monotonic: () => 0,
  schedule: (delayMs, callback) => {
    const timer = { delayMs, callback };
    timers.push(timer);
    return { [Symbol.dispose]: () => void (timers = timers.filter((one) => one !== timer)) };
  },
};

beforeEach(() => {
  [fake, timers, seen] = [new FakeTerminals(), [], ""];
  onHost.length = 0;
});

/** Fires the timers of a delay, which some step must have set. */
async function pass(delayMs: number): Promise<void> {
  await expect.poll(() => timers.some((one) => one.delayMs === delayMs)).toBe(true);
  for (const one of timers.filter((timer) => timer.delayMs === delayMs)) one.callback();
}

function start(
  request: Partial<CommandRequest> = {},
  signal: AbortSignal = new AbortController().signal,
): ReturnType<CommandRunner["start"]> {
  const baseEnv = { PATH: "/bin", HOME: "/home/ada", TERM: "dumb", OPENAI_API_KEY: "sk-1" };
  const isSecret = (value: string): boolean => value.startsWith("sk-");
  const runner = createEditorRunner({ runner: host, terminals: fake, baseEnv, isSecret, clock });
  return runner.start({ ...REQUEST, ...request }, { signal, run: RUN, onOutput: (text) => (seen += text) });
}

test("a command runs in a terminal with the gateway's variables, and its output and end are those of the terminal", async () => {
  const running = await start();
  expect(fake.commands).toEqual([
    {
      file: "make",
      args: ["all"],
      cwd: "/p",
      env: { PATH: "/bin", HOME: "/home/ada", A: "1", BASH_ENV: "", ENV: "", PAGER: "cat", GIT_PAGER: "cat" },
      maxOutputBytes: 150_000,
    },
  ]);
  fake.shown = "first\r\n";
  await pass(500);
  await expect.poll(() => seen).toBe("first\n");
  fake.shown = "first\r\n\u001B[31msecond\u001B[0m\r\n";
  fake.end.resolve({ exitCode: 3 });
  expect(await running.ended).toMatchObject({ end: { type: "exited", exitCode: 3 }, output: "first\nsecond\n", outputBytes: 13 });
  expect([seen, fake.calls, timers, running.write("x")]).toEqual(["first\nsecond\n", ["release"], [], "closed"]);
});

test("shell text runs under the same shell as on the host", async () => {
  const running = await start({ command: { type: "shell", text: "ls | wc" } });
  expect(fake.commands[0]).toMatchObject({ file: expect.stringMatching(/sh$/), args: expect.arrayContaining(["-c", "ls | wc"]) });
  fake.end.resolve({ exitCode: 0 });
  await running.ended;
});

test("of an output that loses its beginning, what is new is added once", async () => {
  const running = await start({ maxOutputBytes: 100_000 });
  fake.shown = `${"a".repeat(2_000)}|${"b".repeat(1_500)}`;
  await pass(500);
  await expect.poll(() => seen.length).toBe(3_501);
  [fake.shown, fake.isCut] = [`${"b".repeat(1_500)}|c`, true];
  await pass(500);
  await expect.poll(() => seen.length).toBe(3_503);
  fake.shown = "d";
  fake.end.resolve({ exitCode: 0 });
  const mark = "\n[… earlier output is left out …]\n";
  expect((await running.ended).output).toBe(`${"a".repeat(2_000)}|${"b".repeat(1_500)}|c${mark}d`);
});

test.each<[string, (abort: AbortController, running: Awaited<ReturnType<CommandRunner["start"]>>) => Promise<void> | void, string]>([
  ["its run is stopped", (abort) => abort.abort(), "aborted"],
  ["it is killed", (_, running) => running.kill(), "aborted"],
  ["its time is over", async () => pass(60_000), "timed-out"],
])("a command is killed and released when %s", async (_name, stop, expected) => {
  const abort = new AbortController();
  const running = await start({}, abort.signal);
  fake.shown = "so far";
  await stop(abort, running);
  expect(await running.ended).toMatchObject({ end: { type: expected }, output: "so far" });
  expect(fake.calls).toEqual(["kill", "release"]);
});

test("a terminal that does not end is released all the same", async () => {
  const abort = new AbortController();
  const running = await start({}, abort.signal);
  fake.end.promise.catch(() => undefined);
  fake.end.resolve = () => undefined;
  abort.abort();
  await pass(5_000);
  expect((await running.ended).end).toEqual({ type: "aborted" });
  expect(fake.calls).toEqual(["kill", "release"]);
});

test("when the editor leaves, the result says that the end is unknown, and nothing runs again", async () => {
  const running = await start();
  fake.shown = new Error("the editor has left");
  fake.end.reject(new Error("the editor has left"));
  expect(await running.ended).toMatchObject({
    end: { type: "aborted" },
    output: expect.stringContaining("What became of the command is unknown"),
  });
  expect([fake.calls, onHost]).toEqual([["release"], []]);
});

test("a terminal that does not start is a command that did not, unless it may have started", async () => {
  fake.refusal = "no such program";
  const refused = await start();
  expect((await refused.ended).end).toEqual({ type: "not-started", message: "The editor has not started the command: no such program" });
  fake.refusal = undefined;
  fake.failure = new Error("The editor may have started it: the editor has left.");
  const unknown = await (await start()).ended;
  expect(unknown).toMatchObject({ end: { type: "aborted" }, output: expect.stringContaining("What became of the command is unknown") });
  expect(onHost).toEqual([]);
});

test.each<[string, Partial<CommandRequest>, (of: FakeTerminals) => void]>([
  ["no terminals are offered", {}, (of) => (of.isOffered = false)],
  ["the editor has just left", {}, (of) => (of.isGone = true)],
  ["it needs input", { input: { type: "pipe" } }, () => undefined],
  ["it needs a terminal of its own", { input: { type: "terminal", columns: 80, rows: 24 } }, () => undefined],
  ["it gets a secret", { env: { KEY: "sk-2" } }, () => undefined],
])("a command runs on the host where %s", async (_name, request, arrange) => {
  arrange(fake);
  expect((await (await start(request)).ended).output).toBe("host");
  expect([onHost.length, fake.commands]).toEqual([1, []]);
});
