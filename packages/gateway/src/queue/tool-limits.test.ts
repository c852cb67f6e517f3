import type { AgentTool } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { ToolLimits } from "./tool-limits.ts";

const MAX_PARALLEL = 8;

/** Tools that run until the test ends them. */
function createScene(maxConcurrent: number) {
  const log: string[] = [];
  const waits: number[] = [];
  const ends = new Map<string, () => void>();
  const limits = new ToolLimits({ maxConcurrent: () => maxConcurrent, maxParallel: MAX_PARALLEL });
  const tool = (effect: AgentTool["traits"]["effect"]): AgentTool => ({
    name: "tool",
    summary: "",
    description: "",
    parameters: { type: "object" },
    traits: { effect, idempotent: false, output: "trusted", network: false, parallel: true },
    execute: async ({ id }) => {
      log.push(id);
      await new Promise<void>((resolve) => ends.set(id, resolve));
      if (id === "bad") throw new Error("broken");
      return { content: [] };
    },
  });
  const call = (
    session: string,
    id: string,
    { effect = "execute" as AgentTool["traits"]["effect"], signal = new AbortController().signal } = {},
  ) => {
    const [limited] = limits.apply([tool(effect)], session, (change) => waits.push(change));
    const options = { signal, tainted: false, onDelta: () => undefined, run: {} as Parameters<AgentTool["execute"]>[1]["run"] };
    return limited?.execute({ id, name: "tool", arguments: {} }, options).then(
      () => "done",
      () => "failed",
    );
  };
  return {
    limits,
    log,
    waits,
    call,
    read: (session: string, id: string) => call(session, id, { effect: "read" }),
    end: (id: string) => ends.get(id)?.(),
  };
}

/** A command that ends at once. */
const commandTool = (): AgentTool => ({
  name: "tool",
  summary: "",
  description: "",
  parameters: { type: "object" },
  traits: { effect: "execute", idempotent: false, output: "trusted", network: false, parallel: true },
  execute: async () => ({ content: [] }),
});

const CALL: Parameters<AgentTool["execute"]>[1] = {
  signal: new AbortController().signal,
  tainted: false,
  onDelta: () => undefined,
  run: {} as Parameters<AgentTool["execute"]>[1]["run"],
};

const settle = async (): Promise<void> => {
  for (let turn = 0; turn < 10; turn += 1) await Promise.resolve();
};

test("commands run up to the global limit, the next in order of arrival, and a failing one frees its place", async () => {
  const { log, call, end } = createScene(2);
  const bad = call("a", "bad");
  void call("b", "b1");
  void call("c", "c1");
  void call("d", "d1");
  await settle();
  expect(log).toEqual(["bad", "b1"]);
  end("bad");
  expect(await bad).toBe("failed");
  await settle();
  expect(log).toEqual(["bad", "b1", "c1"]);
  end("b1");
  await settle();
  expect(log).toEqual(["bad", "b1", "c1", "d1"]);
});

test("a session runs at most four commands at once, without delaying other sessions", async () => {
  const { log, call, end } = createScene(16);
  for (let number = 1; number <= 5; number += 1) void call("a", `a${number}`);
  void call("b", "b1");
  await settle();
  expect(log).toEqual(["a1", "a2", "a3", "a4", "b1"]);
  end("b1");
  await settle();
  expect(log).toHaveLength(5);
  end("a2");
  await settle();
  expect(log.at(-1)).toBe("a5");
});

test("sessions behind one that is at its own limit pass it when a place is free", async () => {
  const { log, call, end } = createScene(5);
  for (let number = 1; number <= 4; number += 1) void call("a", `a${number}`);
  void call("c", "c1");
  void call("a", "a5");
  void call("b", "b1");
  await settle();
  expect(log).toEqual(["a1", "a2", "a3", "a4", "c1"]);
  end("c1");
  await settle();
  expect(log.at(-1)).toBe("b1");
  end("a1");
  await settle();
  expect(log.at(-1)).toBe("a5");
});

test("tools that are not commands have a limit of their own", async () => {
  const { log, call, read } = createScene(1);
  void call("a", "a1");
  void call("b", "b1");
  for (let number = 1; number <= MAX_PARALLEL; number += 1) void read("c", `c${number}`);
  void read("d", "d1");
  await settle();
  expect(log).toEqual(["a1", "c1", "c2", "c3", "c4", "c5", "c6", "c7", "c8"]);
});

test("parallel reads of one run do not wait for each other", async () => {
  const { limits, log, waits, read } = createScene(16);
  for (let number = 1; number <= MAX_PARALLEL; number += 1) void read("a", `a${number}`);
  await settle();
  expect(log).toHaveLength(MAX_PARALLEL);
  expect(waits).toEqual([]);
  expect(limits.waitOf("a")).toBeUndefined();
});

test("reports whether a call waits for calls of its own session or of others", async () => {
  const { limits, call, end } = createScene(5);
  for (let number = 1; number <= 5; number += 1) void call("a", `a${number}`);
  await settle();
  expect(limits.waitOf("a")).toEqual({ type: "own-tools", limit: 4 });
  expect(limits.waitOf("b")).toBeUndefined();
  void call("b", "b1");
  void call("b", "b2");
  await settle();
  expect(limits.waitOf("a")).toEqual({ type: "own-tools", limit: 4 });
  expect(limits.waitOf("b")).toEqual({ type: "tools", limit: 5 });
  end("a1");
  await settle();
  expect(limits.waitOf("a")).toBeUndefined();
  expect(limits.waitOf("b")).toEqual({ type: "tools", limit: 5 });
  end("a2");
  await settle();
  expect(limits.waitOf("b")).toBeUndefined();
});

test("a single session that fills every place waits for its own calls", async () => {
  const { limits, call } = createScene(2);
  for (let number = 1; number <= 3; number += 1) void call("a", `a${number}`);
  await settle();
  expect(limits.waitOf("a")).toEqual({ type: "own-tools", limit: 2 });
});

test("a call reports the start and end of its wait, and nothing if it does not wait", async () => {
  const { waits, call, end } = createScene(1);
  void call("a", "a1");
  await settle();
  expect(waits).toEqual([]);
  void call("b", "b1");
  await settle();
  expect(waits).toEqual([1]);
  end("a1");
  await settle();
  expect(waits).toEqual([1, -1]);
});

test("a call of a run that was already stopped never runs, and an abort after its start frees its place once", async () => {
  const { log, waits, call, end } = createScene(1);
  expect(await call("a", "a0", { signal: AbortSignal.abort(new Error("stop")) })).toBe("failed");
  expect(waits).toEqual([]);
  const abort = new AbortController();
  void call("a", "a1");
  void call("b", "b1", { signal: abort.signal });
  void call("c", "c1");
  void call("d", "d1");
  await settle();
  end("a1");
  await settle();
  abort.abort(new Error("stop"));
  await settle();
  expect(log).toEqual(["a1", "b1"]);
  end("b1");
  await settle();
  end("c1");
  await settle();
  expect(log).toEqual(["a1", "b1", "c1", "d1"]);
});

test("a call whose run is aborted while it waits never runs", async () => {
  const { log, waits, call, end } = createScene(1);
  const abort = new AbortController();
  void call("a", "a1");
  const waiting = call("b", "b1", { signal: abort.signal });
  void call("c", "c1");
  await settle();
  abort.abort(new Error("stop"));
  expect(await waiting).toBe("failed");
  expect(waits).toEqual([1, 1, -1]);
  end("a1");
  await settle();
  expect(log).toEqual(["a1", "c1"]);
});

test("a command in the background holds its place, and a fifth of its session is refused with the names of the four", async () => {
  const { limits, log, call, end } = createScene(16);
  const kept = ["one", "two", "three", "four"].map((id) => limits.keep("a", { id, text: `npm run\n${id}` }));
  const [limited] = limits.apply([commandTool()], "a");
  const refused = await limited?.execute({ id: "a5", name: "tool", arguments: {} }, CALL);
  expect(refused?.isError).toBe(true);
  const [text] = refused?.content ?? [];
  expect(text).toMatchObject({
    text: expect.stringMatching(/4 background commands.*"kill".*\n- one: npm run one\n- two: .*\n- three: .*\n- four: /s),
  });
  void call("b", "b1");
  kept[1]?.[Symbol.dispose]();
  void call("a", "a6");
  await settle();
  expect(log).toEqual(["b1", "a6"]);
  void call("a", "a7");
  await settle();
  expect(log).toEqual(["b1", "a6"]);
  end("a6");
  await settle();
  expect(log).toEqual(["b1", "a6", "a7"]);
});

test("a command is refused while background commands of all sessions hold every place, and waits while one of them is free", async () => {
  const { limits, log, call } = createScene(2);
  const first = limits.keep("a", { id: "one", text: "x" });
  limits.keep("b", { id: "two", text: "x" });
  const [limited] = limits.apply([commandTool()], "c");
  expect(await limited?.execute({ id: "c1", name: "tool", arguments: {} }, CALL)).toMatchObject({
    isError: true,
    content: [{ text: expect.stringMatching(/2 background commands run in all sessions.*maxConcurrent.*Try again/) }],
  });
  first[Symbol.dispose]();
  void call("c", "c2");
  void call("d", "d1");
  await settle();
  expect(log).toEqual(["c2"]);
});

test("a tool that only waits for commands holds no place and waits for none", async () => {
  const { limits } = createScene(1);
  limits.keep("a", { id: "one", text: "x" });
  const tool = { ...commandTool(), traits: { ...commandTool().traits, holdsNoPlace: true as const } };
  expect(limits.apply([tool], "a")).toEqual([tool]);
});
