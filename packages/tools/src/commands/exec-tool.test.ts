import type { CommandResult } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeBackground, fakeRunner } from "../../test/fake-command.ts";
import type { FakeCommand } from "../../test/fake-command.ts";
import { FakeClock } from "../../test/fake-clock.ts";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import type { FileAccess } from "../file-access/create-file-access.ts";
import { createExecTool, type ExecToolOptions } from "./exec-tool.ts";

let rig: ToolRig;
let commands: FakeCommand[];
let clock: FakeClock;
let background: FakeBackground;
/** What each command prints and how it ends; `undefined`: it runs on. */
let answer: Pick<CommandResult, "output"> & { readonly end: CommandResult["end"] | undefined };
let shown: string[];

beforeEach(async () => {
  rig = await createToolRig();
  commands = [];
  clock = new FakeClock();
  background = new FakeBackground();
  shown = [];
  answer = { end: { type: "exited", exitCode: 0 }, output: "hi\n" };
});
afterEach(() => rig[Symbol.asyncDispose]());

const runner = fakeRunner((command) => {
  commands.push(command);
  if (answer.output !== "") command.print(answer.output);
  if (answer.end !== undefined) command.end(answer.end);
});

const OPTIONS = { timeoutSeconds: 60, maxResultChars: 1_000, searchPath: "/usr/bin:/bin", avoidsShell: false } as const;

const requests = () => commands.map(({ request }) => request);
const execTool = (options: Partial<ExecToolOptions> = {}) =>
  createExecTool({ runner, files: rig.files, background, clock, ...OPTIONS, ...options });

const exec = (
  args: Parameters<ToolRig["call"]>[1],
  { owner = true, ...options }: { readonly owner?: boolean; readonly tainted?: boolean; readonly signal?: AbortSignal } = {},
) => rig.call(execTool(), args, { ...options, run: { owner }, onDelta: (text) => shown.push(text) });

test("runs shell text in the workspace and returns its output", async () => {
  expect(await exec({ command: "echo hi" })).toEqual({
    content: [{ type: "text", text: "hi\n" }],
    details: { exitCode: 0, timedOut: false, durationMs: 5, outputBytes: 3 },
  });
  expect(requests()).toEqual([
    {
      command: { type: "shell", text: "echo hi" },
      cwd: rig.workspace,
      env: {},
      input: { type: "none" },
      timeoutMs: 60_000,
      maxOutputBytes: 800,
      tainted: false,
    },
  ]);
  expect(clock.delays).toEqual([]);
  expect(shown).toEqual(["hi\n"]);
});

test("outside of a sandbox runs for the owner only", async () => {
  const result = await exec({ command: "echo hi" }, { owner: false });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain("for the owner only");
  expect(requests()).toEqual([]);
});

test("passes on the variables of the run; the call's override them, and none decides which program runs", async () => {
  const environment = async ({ runId }: { readonly runId: string }) => ({ RUN: runId, KEY: "k", PATH: "/evil", LD_PRELOAD: "/evil.so" });
  await rig.call(execTool({ environment }), { command: "env", env: { KEY: "own" } }, { run: { owner: true, runId: "run-7" } });
  expect(requests()[0]?.env).toEqual({ RUN: "run-7", KEY: "own" });
});

test("in a sandbox with network names the hosts to the owner, is bound to them, and marks what is printed as text of others", async () => {
  const run = { ...rig.run, sandbox: { workspaceAccess: "none", shared: false, network: ["a.example", "b.example"] } } as const;
  const call = { id: "call-1", name: "exec", arguments: { command: "curl a.example" } };
  const [networked, onHost] = await Promise.all([execTool().inspect?.(call, run), execTool().inspect?.(call, rig.run)]);
  expect(networked).toMatchObject({
    text: "curl a.example\nSandbox with network: a.example, b.example",
    binding: { network: ["a.example", "b.example"] },
  });
  expect(onHost).not.toMatchObject({ binding: { network: expect.anything() as unknown } });
  const result = await rig.call(execTool(), { command: "curl a.example" }, { run });
  expect([textOf(result), result.untrusted]).toEqual(["hi\n", true]);
});

test.each([true, false])("in a sandbox runs for everyone; a shared one (%s) marks what is printed as text of others", async (shared) => {
  const run = { owner: false, sandbox: { workspaceAccess: "none", shared } } as const;
  const result = await rig.call(execTool(), { command: "echo hi" }, { run, tainted: true });
  expect([textOf(result), result.untrusted ?? false]).toEqual(["hi\n", shared]);
  expect(requests()).toMatchObject([{ tainted: true }]);
  answer = { end: undefined, output: "started\n" };
  const kept = rig.call(execTool(), { command: "serve", yieldMs: 0 }, { run });
  await vi.waitFor(() => expect(clock.delays).toEqual([0]));
  clock.pass(0);
  expect([textOf(await kept), (await kept).untrusted ?? false]).toEqual([expect.stringContaining("runs on in the background"), shared]);
});

test("holds its folder open while it is checked, not while the command runs", async () => {
  let held = 0;
  const files: FileAccess = {
    forRun: async (run) => {
      const access = await rig.files.forRun(run);
      const openFolder = async (path: string) => {
        const folder = await access.openFolder(path);
        const close = folder[Symbol.asyncDispose].bind(folder);
        held += 1;
        const counted = async (): Promise<void> => {
          await close();
          held -= 1;
        };
        return Object.assign(folder, { [Symbol.asyncDispose]: counted });
      };
      return { ...access, openFolder };
    },
  };
  const seen: number[] = [];
  const watching = fakeRunner((command) => {
    seen.push(held);
    command.end({ type: "exited", exitCode: 0 });
  });
  await rig.call(execTool({ runner: watching, files }), { command: "sleep 9999" });
  expect(seen).toEqual([0]);
});

test("accepts a folder, variables and a time limit that can only be shorter", async () => {
  await rig.put("workspace/sub/a.txt", "");
  await exec({ command: "x", workdir: "sub", env: { MODE: "1" }, timeoutSeconds: 5 });
  await exec({ command: "x", timeoutSeconds: 5_000 });
  expect(requests()).toMatchObject([{ cwd: `${rig.workspace}/sub`, env: { MODE: "1" }, timeoutMs: 5_000 }, { timeoutMs: 60_000 }]);
});

test.each([
  "PATH",
  "path",
  "LD_PRELOAD",
  "LD_LIBRARY_PATH",
  "DYLD_INSERT_LIBRARIES",
  "BASH_ENV",
  "ENV",
  "IFS",
  "PS4",
  "SHELLOPTS",
  "BASH_FUNC_ls",
])("does not let env set %s", async (name) => {
  const result = await exec({ command: "x", env: { [name]: "1" } });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain(name);
  expect(requests()).toEqual([]);
});

test.each([
  [{ command: "x", env: { "A=B": "1" } }, /variable name/],
  [{ command: "x", workdir: ".." }, /outside/],
  [{ command: "x", workdir: "missing" }, /does not exist/],
  [{ command: "a\0b" }, /NUL/],
  [{ command: "x", timeoutSeconds: -1 }, /timeoutSeconds/],
  [{ command: "x", yieldMs: -1 }, /yieldMs/],
  [{ command: "" }, /command/],
])("%j does not run", async (args, message) => {
  const result = await exec(args);
  expect(result.isError).toBe(true);
  expect(textOf(result)).toMatch(message);
  expect(requests()).toEqual([]);
});

describe("result of a command", () => {
  test.each([
    [{ type: "exited", exitCode: 1 }, "out", "out\n[exit code 1]", undefined],
    [{ type: "exited", exitCode: 0 }, "", "(no output)", undefined],
    [{ type: "signalled", signal: "SIGSEGV" }, "", "[killed by SIGSEGV]", true],
    [{ type: "timed-out" }, "out\n", "out\n[stopped after 60 seconds: the time limit]", true],
    [
      { type: "over-limit", limit: "processes", used: 300, allowed: 256 },
      "out",
      "out\n[stopped: all running commands together had 300 processes, and tools.exec.maxProcesses allows 256. Do less at a time; your owner can raise the limit in the configuration.]",
      true,
    ],
    [
      { type: "over-limit", limit: "memory", used: 2_200_000_000, allowed: 2_147_483_648 },
      "",
      "[stopped: all running commands together used 2099 MB of memory, and tools.exec.maxMemoryMb allows 2048. Do less at a time; your owner can raise the limit in the configuration.]",
      true,
    ],
    [{ type: "aborted" }, "", "[stopped: the run was aborted]", true],
    [{ type: "not-started", message: "No such folder." }, "", "No such folder.", true],
  ] satisfies [CommandResult["end"], string, string, true | undefined][])("%j", async (end, output, text, isError) => {
    answer = { end, output };
    const result = await exec({ command: "x" });
    expect(textOf(result)).toBe(text);
    expect(result.isError).toBe(isError);
    expect(result.details).toMatchObject({ exitCode: end.type === "exited" ? end.exitCode : null, timedOut: end.type === "timed-out" });
  });
});

test("observers see the beginning of a flood", async () => {
  answer = { ...answer, output: "x".repeat(5_000) };
  await exec({ command: "x" });
  expect(shown.join("").length).toBeLessThan(1_000);
  expect(shown.join("")).toMatch(/^x{800}\n\[…\]\n$/);
});

describe("what a call would run", () => {
  const inspect = async (args: Parameters<ToolRig["call"]>[1]) =>
    execTool().inspect?.({ id: "call-1", name: "exec", arguments: args }, rig.run);

  test("is its text with its folder and variables, and its binding names the programs", async () => {
    await rig.put("workspace/sub/file", "");
    const found = await inspect({ command: "ls -la", workdir: "sub", env: { A: "1" } });
    expect(found).toMatchObject({
      type: "action",
      text: `ls -la\nFolder: ${rig.workspace}/sub\nVariables: A="1"`,
      binding: {
        command: "ls -la",
        cwd: `${rig.workspace}/sub`,
        env: { A: "1" },
        files: [{ path: expect.stringMatching(/\/ls$/) as string }],
      },
    });
    expect(found).not.toHaveProperty("argv");
    expect(requests()).toEqual([]);
  });

  test("has the words of a command that needs no shell, and no others", async () => {
    expect(await inspect({ command: "ls 'a b'" })).toMatchObject({ text: "ls 'a b'", argv: ["ls", "a b"] });
    for (const command of ["ls; ls", "ls > x", "ls $HOME"]) expect(await inspect({ command })).not.toHaveProperty("argv");
  });

  test("is invalid where the call would fail", async () => {
    for (const args of [
      {},
      { command: "" },
      { command: "ls", env: { PATH: "/x" } },
      { command: "l\0s" },
      { command: "ls", workdir: "/etc" },
    ])
      expect(await inspect(args)).toMatchObject({ type: "invalid", message: expect.any(String) as string });
  });
});

test("runs a command without shell syntax directly where the list of allowed commands decides, any other in a shell", async () => {
  for (const command of ["ls 'a b'", "ls | wc"]) await rig.call(execTool({ avoidsShell: true }), { command });
  expect(requests().map((request) => request.command)).toEqual([
    { type: "argv", file: "ls", args: ["a b"] },
    { type: "shell", text: "ls | wc" },
  ]);
});

describe("the background", () => {
  beforeEach(() => {
    answer = { end: undefined, output: "so far\n" };
  });

  test("takes a command that runs longer than yieldMs, with its output until then", async () => {
    const result = exec({ command: "make" });
    await vi.waitFor(() => expect(clock.delays).toEqual([10_000]));
    clock.pass(9_999);
    expect(background.kept).toEqual([]);
    clock.pass(1);
    expect(await result).toEqual({
      content: [{ type: "text", text: "so far\n[runs on in the background, id id1; see process; you will be told when it ends]" }],
      details: { backgroundId: "id1" },
    });
    expect(background.kept).toMatchObject([{ text: "make", hasTerminal: false, takenTo: 7 }]);
    expect(background.calls).toMatchObject([{ run: rig.run, tainted: false }]);
    expect(commands[0]?.isKilled).toBe(false);
  });

  test("takes it after the given time, and keeps the mark of a turn with text of others", async () => {
    const result = exec({ command: "make", yieldMs: 50 }, { tainted: true });
    await vi.waitFor(() => expect(clock.delays).toEqual([50]));
    clock.pass(50);
    await result;
    expect(background.calls).toMatchObject([{ tainted: true }]);
  });

  test("takes it at once if asked, with an open input, unless it fails at once", async () => {
    const result = exec({ command: "server", background: true });
    await vi.waitFor(() => expect(clock.delays).toEqual([200]));
    clock.pass(200);
    expect(textOf(await result)).toContain("id id1");
    expect(requests()).toMatchObject([{ input: { type: "pipe" } }]);
    answer = { end: { type: "exited", exitCode: 127 }, output: "no such program\n" };
    expect(textOf(await exec({ command: "sevrer", background: true }))).toBe("no such program\n[exit code 127]");
    expect(background.kept).toHaveLength(1);
  });

  test("a terminal is part of the request", async () => {
    answer = { ...answer, end: { type: "exited", exitCode: 0 } };
    await exec({ command: "top", pty: true });
    expect(requests()).toMatchObject([{ input: { type: "terminal", columns: 120, rows: 40 } }]);
  });

  test.each([
    [60, {}, 60],
    [60, { timeoutSeconds: 0 }, 60],
    [60, { timeoutSeconds: 0, background: true }, 60],
    [0, { timeoutSeconds: 0, background: true }, 0],
    [0, { timeoutSeconds: 5 }, 5],
    [0, { timeoutSeconds: 5, background: true }, 5],
  ])("with a maximum of %s, %j is limited to %s seconds; 0: not at all", async (maxSeconds, args, seconds) => {
    answer = { ...answer, end: { type: "exited", exitCode: 0 } };
    await rig.call(execTool({ timeoutSeconds: maxSeconds }), { command: "x", ...args });
    expect(requests()).toMatchObject([{ timeoutMs: seconds * 1_000 }]);
  });

  test("an abort of the run ends the command before it is kept, and not after", async () => {
    const abort = new AbortController();
    const result = exec({ command: "make" }, { signal: abort.signal });
    await vi.waitFor(() => expect(commands).toHaveLength(1));
    abort.abort();
    expect(textOf(await result)).toContain("the run was aborted");
    expect(background.kept).toEqual([]);

    const later = new AbortController();
    const kept = exec({ command: "make" }, { signal: later.signal });
    await vi.waitFor(() => expect(clock.delays).toEqual([10_000]));
    clock.pass(10_000);
    await kept;
    later.abort();
    expect(commands[1]?.hasEnded).toBe(false);
  });

  test("a command whose end could not be reported is stopped", async () => {
    background.failure = new Error("the disk is full");
    const result = exec({ command: "make" });
    await vi.waitFor(() => expect(clock.delays).toEqual([10_000]));
    clock.pass(10_000);
    expect(await result).toMatchObject({ isError: true });
    expect(textOf(await result)).toContain("stopped, because it could not be kept in the background: the disk is full");
    expect(commands[0]?.isKilled).toBe(true);
  });
});
