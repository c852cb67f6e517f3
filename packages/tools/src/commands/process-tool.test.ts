import type { RunFacts } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { FakeBackground, fakeRunner } from "../../test/fake-command.ts";
import type { FakeCommand } from "../../test/fake-command.ts";
import { FakeClock } from "../../test/fake-clock.ts";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import { createProcessTool } from "./process-tool.ts";

let rig: ToolRig;
let clock: FakeClock;
let background: FakeBackground;

beforeEach(async () => {
  rig = await createToolRig();
  clock = new FakeClock();
  background = new FakeBackground();
});
afterEach(() => rig[Symbol.asyncDispose]());

const call = (args: Parameters<ToolRig["call"]>[1], options: Parameters<ToolRig["call"]>[2] = {}) =>
  rig.call(createProcessTool({ background, clock, maxResultChars: 1_000 }), args, options);

/** A command in the background. */
async function begin(
  text = "server",
  {
    hasTerminal = false,
    run = rig.run,
    tainted = false,
  }: { readonly hasTerminal?: boolean; readonly run?: RunFacts; readonly tainted?: boolean } = {},
): Promise<FakeCommand> {
  const runner = fakeRunner(() => undefined);
  const request = { command: { type: "shell", text }, cwd: "/", env: {}, timeoutMs: 0, maxOutputBytes: 1_000 } as const;
  const running = await runner.start(request, { signal: new AbortController().signal, run, onOutput: () => undefined });
  await background.keep({ text, hasTerminal, running }, { run, tainted });
  return runner.started[0] ?? expect.unreachable();
}

/** Lets the call reach its wait, then time pass. */
async function pass(milliseconds: number): Promise<void> {
  await vi.waitFor(() => expect(clock.delays).toContain(milliseconds));
  clock.pass(milliseconds);
}

test("outside of a sandbox is for the owner only", async () => {
  await begin();
  const result = await call({ action: "list" }, { run: { owner: false } });
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain("the owner's");
});

describe("in a sandbox", () => {
  const sandbox = { workspaceAccess: "none", shared: true } as const;
  const guest = { owner: false, sandbox };

  test("is for everyone, and reaches no command of the host", async () => {
    const host = await begin("npm run secret");
    const own = await begin("cat", { run: { ...rig.run, ...guest } });
    expect(textOf(await call({ action: "list" }, { run: guest }))).toMatch(/^id2 .*: cat$/);
    for (const args of [{ action: "kill" }, { action: "log" }, { action: "write", text: "evil" }]) {
      const refused = await call({ ...args, id: "id1" }, { run: guest });
      expect([refused.isError, textOf(refused)]).toEqual([true, expect.stringContaining("no background command id1")]);
    }
    expect([host.isKilled, host.written]).toEqual([false, []]);
    const ended = await call({ action: "kill", id: "id2" }, { run: guest });
    expect([own.isKilled, ended.untrusted]).toEqual([true, true]);
    expect(textOf(await call({ action: "list" }))).toContain("npm run secret");
  });

  test("marks the output of a shared sandbox as text of others, for the owner too", async () => {
    const command = await begin("cat", { run: { ...rig.run, ...guest } });
    command.print("theirs\n");
    const result = await call({ action: "log", id: "id1" });
    expect([textOf(result).split("\n")[0], result.untrusted]).toEqual(["theirs", true]);
  });

  test("gives a command that can change the agent's workspace no input of a tainted turn", async () => {
    const run = { ...rig.run, sandbox: { workspaceAccess: "rw", shared: false } } as const;
    const first = await begin("bash", { run });
    const refused = await call({ action: "write", id: "id1", text: "theirs" }, { run, tainted: true });
    expect([refused.isError, first.written]).toEqual([true, []]);
    const tainted = await begin("bash", { run, tainted: true });
    const calls = [
      call({ action: "write", id: "id1", text: "x", timeoutMs: 0 }, { run }),
      call({ action: "write", id: "id2", text: "x", timeoutMs: 0 }, { run, tainted: true }),
    ];
    for (const command of [first, tainted]) command.end({ type: "exited", exitCode: 0 });
    for (const { isError } of await Promise.all(calls)) expect(isError ?? false).toBe(false);
    expect([first.written, tainted.written]).toEqual([["x"], ["x"]]);
  });
});

test("names the commands of the session, and how they are", async () => {
  expect(textOf(await call({ action: "list" }))).toBe("This session has no background commands.");
  const first = await begin("npm run\n  dev");
  const second = await begin("make");
  const third = await begin("sleep 9");
  first.print("ready\n");
  clock.nowMs = 12_300;
  second.end({ type: "exited", exitCode: 2 });
  third.kill();
  await Promise.resolve();
  expect(textOf(await call({ action: "list" })).split("\n")).toEqual([
    "id1 (running for 12 s, 6 bytes of output): npm run dev",
    "id2 (ended: exit code 2, 0 bytes of output): make",
    "id3 (ended: stopped, 0 bytes of output): sleep 9",
  ]);
});

test.each([
  [{ action: "poll", id: "id9" }, "no background command id9"],
  [{ action: "poll" }, "needs the id"],
  [{ action: "write", id: "id1" }, "needs text, or eof"],
  [{ action: "send-keys", id: "id1", keys: ["Enter"] }, "no terminal"],
  [{ action: "send-keys", id: "id2" }, "needs keys"],
  [{ action: "send-keys", id: "id2", keys: ["Entr"] }, '"Entr" is not a key'],
  [{ action: "send-keys", id: "id2", keys: ["Enter"], text: "y" }, "send-keys takes no text; it is for write."],
  [{ action: "write", id: "id2", text: "y", keys: ["Enter"], limit: 5 }, "write takes no keys; it is for send-keys. write takes no limit"],
  [{ action: "dance" }, "action"],
  [{ action: "poll", id: "id1", timeoutMs: -1 }, "timeoutMs"],
])("%j is refused with what to do", async (args, message) => {
  const commands = [await begin(), await begin("top", { hasTerminal: true })];
  const result = await call(args);
  expect(result.isError).toBe(true);
  expect(textOf(result)).toContain(message);
  expect(commands.map(({ written }) => written)).toEqual([[], []]);
});

describe("poll", () => {
  test("returns output that is new at once, each once", async () => {
    const command = await begin();
    command.print("one\n");
    const polled = call({ action: "poll", id: "id1" });
    await pass(100);
    expect(textOf(await polled)).toBe("one\n[running for 0 s]");
    const again = call({ action: "poll", id: "id1" });
    await vi.waitFor(() => expect(clock.delays).toEqual([10_000]));
    command.print("two\n");
    await pass(100);
    expect(textOf(await again)).toBe("two\n[running for 0 s]");
    expect(background.toldIds).toEqual([]);
  });

  test("ends without output after the given time", async () => {
    await begin();
    const polled = call({ action: "poll", id: "id1", timeoutMs: 700 });
    await pass(700);
    await pass(0);
    expect(textOf(await polled)).toBe("[no new output; running for 1 s]");
  });

  test("waits for 30 seconds at most", async () => {
    await begin();
    const polled = call({ action: "poll", id: "id1", timeoutMs: 600_000 });
    await pass(30_000);
    await pass(0);
    expect(textOf(await polled)).toBe("[no new output; running for 30 s]");
  });

  test("ends with the command, and the end counts as told", async () => {
    const command = await begin();
    const polled = call({ action: "poll", id: "id1" });
    await vi.waitFor(() => expect(clock.delays).toEqual([10_000]));
    command.print("bye\n");
    command.end({ type: "exited", exitCode: 0 });
    const result = await polled;
    expect(textOf(result)).toBe("bye\n[ended: exit code 0]");
    expect(result.details).toEqual({ running: false, exitCode: 0, offset: 4 });
    expect(background.toldIds).toEqual(["id1"]);
  });

  test("ends with the run, and then tells nothing", async () => {
    const command = await begin();
    const abort = new AbortController();
    const polled = call({ action: "poll", id: "id1" }, { signal: abort.signal });
    await vi.waitFor(() => expect(clock.delays).toEqual([10_000]));
    abort.abort();
    command.end({ type: "exited", exitCode: 0 });
    await polled;
    expect(background.toldIds).toEqual([]);
  });

  test("gives the newest of much output and says how much is left out", async () => {
    const command = await begin();
    command.print(`${"x".repeat(1_000)}END`);
    const polled = call({ action: "poll", id: "id1" });
    await pass(100);
    expect(textOf(await polled)).toBe(`[303 bytes before this left out; log reads them]\n${"x".repeat(697)}END\n[running for 0 s]`);
  });
});

test("log pages through the output", async () => {
  const command = await begin();
  command.print("0123456789");
  expect(textOf(await call({ action: "log", id: "id1", offset: 2, limit: 3 }))).toBe("234\n[bytes 2 to 5 of 10]");
  expect(textOf(await call({ action: "log", id: "id1", limit: 4 }))).toBe("6789\n[bytes 6 to 10 of 10]");
  expect(textOf(await call({ action: "log", id: "id1", offset: 99 }))).toContain("of 10]");
  // Reading takes nothing from poll.
  const polled = call({ action: "poll", id: "id1" });
  await pass(100);
  expect(textOf(await polled)).toContain("0123456789");
});

describe("input", () => {
  test("is written, ended, and answered", async () => {
    const command = await begin();
    const answered = call({ action: "write", id: "id1", text: "2+2\n", eof: true });
    await vi.waitFor(() => expect(clock.delays).toEqual([500]));
    expect(command.written).toEqual(["2+2\n"]);
    expect(command.isInputClosed).toBe(true);
    command.print("4\n");
    await pass(100);
    expect(textOf(await answered)).toBe("4\n[running for 0 s]");
  });

  test("is not ended unless asked", async () => {
    const command = await begin();
    const answered = call({ action: "write", id: "id1", text: "y", timeoutMs: 0 });
    await pass(0);
    await pass(0);
    await answered;
    expect(command.isInputClosed).toBe(false);
  });

  test("of a terminal is keys, and its answer has no control sequences", async () => {
    const command = await begin("top", { hasTerminal: true });
    command.print("\u001b[31mred\u001b[0m\r\n");
    const answered = call({ action: "send-keys", id: "id1", keys: ["q", "Enter", "C-c"] });
    await pass(100);
    expect(textOf(await answered)).toBe("red\n[running for 0 s]");
    expect(command.written).toEqual(["q\r\u0003"]);
  });

  test.each([
    ["closed", "is closed"],
    ["full", "does not read"],
  ] as const)("that is %s is refused", async (outcome, message) => {
    const command = await begin();
    command.outcome = outcome;
    for (const args of [{ text: "x" }, { eof: true }]) {
      const result = await call({ action: "write", id: "id1", ...args });
      expect(result.isError).toBe(true);
      expect(textOf(result)).toContain(message);
    }
  });
});

test("kill ends the command and tells its end", async () => {
  const command = await begin();
  command.print("last words\n");
  const killed = call({ action: "kill", id: "id1" });
  await vi.waitFor(() => expect(command.isKilled).toBe(true));
  expect(textOf(await killed)).toBe("last words\n[ended: stopped]");
  expect(background.toldIds).toEqual(["id1"]);
  expect(textOf(await call({ action: "kill", id: "id1" }))).toContain("[no new output; ended: stopped]");
});

describe("what decides about a call", () => {
  const tool = () => createProcessTool({ background, clock, maxResultChars: 1_000 });
  const asCall = (args: Parameters<ToolRig["call"]>[1]) => ({ id: "call-1", name: "process", arguments: args });

  test.each([
    ["list", "read"],
    ["poll", "read"],
    ["log", "read"],
    ["kill", "write"],
    ["write", "execute"],
    ["send-keys", "execute"],
    ["anything else", "execute"],
  ])("%s counts as %s", (action, effect) => {
    expect(tool().traitsFor?.(asCall({ action, id: "id1" })).effect).toBe(effect);
  });

  test("is the whole input and the command that gets it", async () => {
    await begin("bash\n-i", { hasTerminal: true });
    const inspect = async (args: Parameters<ToolRig["call"]>[1]) => tool().inspect?.(asCall(args), rig.run);
    expect(await inspect({ action: "write", id: "id1", text: "rm x\n", eof: true })).toMatchObject({
      type: "action",
      text: "write to id1 (bash -i):\nrm x\n\n[end of input]",
      binding: { id: "id1", text: "rm x\n" },
    });
    expect(await inspect({ action: "send-keys", id: "id1", keys: ["C-c", "y"] })).toMatchObject({
      text: "send-keys to id1 (bash -i):\nC-c y",
    });
    expect(await inspect({ action: "write", id: "id9", text: "x" })).toMatchObject({ type: "invalid" });
  });
});
