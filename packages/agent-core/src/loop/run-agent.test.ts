import type { AgentEvent, ModelEvent, UserMessage } from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import {
  answer,
  assistant,
  call,
  collect,
  failure,
  outcomeOf,
  resultsOf,
  runInput,
  runOptions,
  scriptedModel,
  text,
  tool,
  user,
} from "../../test/scripted-model.ts";
import { runAgent } from "./run-agent.ts";

const types = (events: readonly AgentEvent[]): string[] => events.map(({ type }) => type);
/** Never settles and ignores the signal. */
const forever = <T>(): Promise<T> => new Promise(() => undefined);
const queueOf = (...batches: readonly (readonly UserMessage[])[]): { take: () => Promise<readonly UserMessage[]>; asked: () => number } => {
  let asked = 0;
  return { take: () => Promise.resolve(batches[asked++] ?? []), asked: () => asked };
};

describe("a run", () => {
  test("ends after the model's last answer", async () => {
    const model = scriptedModel([answer("Good day")]);
    const events = await collect(runInput({ model }));
    expect(types(events)).toEqual([
      "run-start",
      "turn-start",
      ...Array<string>(5).fill("model-event"),
      "message-end",
      "turn-end",
      "run-end",
    ]);
    expect(outcomeOf(events)).toEqual({ type: "done", message: assistant("Good day") });
    expect(events.at(-1)).toMatchObject({ usage: { calls: 1, total: 15, lastInput: 10 } });
  });

  test("sends prompt, tools and settings, then the answer and its results", async () => {
    const model = scriptedModel([answer("Look", [call("c1", "ls", { path: "." })]), answer("Done")]);
    const ls = tool("ls", () => Promise.resolve({ ...text("a.txt"), details: { entries: ["a.txt"] } }));
    const events = await collect(runInput({ model, tools: [ls], settings: { thinking: "low", cacheKey: "k" } }));
    const [first, second] = model.requests;
    expect(first).toEqual({
      system: { stable: "stable", session: "session" },
      messages: [user("hello")],
      tools: [{ name: "ls", description: "ls something", parameters: { type: "object" } }],
      thinking: "low",
      cacheKey: "k",
    });
    expect(second?.messages).toEqual([
      user("hello"),
      assistant("Look", [call("c1", "ls", { path: "." })]),
      {
        role: "toolResult",
        toolCallId: "c1",
        toolName: "ls",
        content: [{ type: "text", text: "a.txt" }],
        details: { entries: ["a.txt"] },
        isError: false,
        timestamp: 5_000,
      },
    ]);
    expect(outcomeOf(events).type).toBe("done");
  });

  test("waits for its consumer before it runs a tool and before the next request", async () => {
    let ran = false;
    const model = scriptedModel([answer("", [call("c1", "touch")]), answer("Done")]);
    const touch = tool("touch", () => {
      ran = true;
      return Promise.resolve(text("ok"));
    });
    await collect(runInput({ model, tools: [touch] }), runOptions(), async (event) => {
      await Promise.resolve();
      if (event.type === "message-end" && event.turn === 1) expect(ran).toBe(false);
      if (event.type === "tool-start") expect(ran).toBe(false);
      if (event.type === "tool-end") expect(model.requests).toHaveLength(1);
    });
    expect(ran).toBe(true);
    expect(model.requests).toHaveLength(2);
  });

  test("passes a tool's output on while it runs", async () => {
    const model = scriptedModel([answer("", [call("c1", "build")]), answer("Done")]);
    const build = tool("build", async (_, { onDelta }) => {
      onDelta("one ");
      await Promise.resolve();
      onDelta("two");
      return text("built");
    });
    const events = await collect(runInput({ model, tools: [build] }));
    const deltas = events.flatMap((event) => (event.type === "tool-delta" ? [event.text] : []));
    expect(deltas.join("")).toBe("one two");
    expect(types(events).indexOf("tool-delta")).toBeLessThan(types(events).indexOf("tool-end"));
  });

  test("ignores output of a finished tool", async () => {
    const model = scriptedModel([answer("", [call("c1", "fast"), call("c2", "slow")]), answer("Done")]);
    const late = Promise.withResolvers<void>();
    const fast = tool(
      "fast",
      (_, { onDelta }) => {
        void late.promise.then(() => onDelta("too late"));
        return Promise.resolve(text("done"));
      },
      { parallel: true },
    );
    const slow = tool(
      "slow",
      async () => {
        for (let count = 0; count < 20; count++) await Promise.resolve();
        late.resolve();
        for (let count = 0; count < 20; count++) await Promise.resolve();
        return text("done");
      },
      { parallel: true },
    );
    expect(types(await collect(runInput({ model, tools: [fast, slow] })))).not.toContain("tool-delta");
  });

  test("truncates a result once, before it is emitted", async () => {
    const model = scriptedModel([answer("", [call("c1", "read")]), answer("Done")]);
    const read = tool("read", () => Promise.resolve(text("x".repeat(5_000))));
    const events = await collect(runInput({ model, tools: [read] }), runOptions({ maxToolResultChars: 1_000 }));
    const shown = resultsOf(events)["c1"] ?? "";
    expect(shown.length).toBeLessThanOrEqual(1_000);
    expect(shown).toContain("of 5,000 characters cut");
    expect(model.requests[1]?.messages[2]).toMatchObject({ content: [{ text: shown }] });
  });

  test("aborts running tools when its consumer leaves", async () => {
    const stopped = Promise.withResolvers<void>();
    const model = scriptedModel([answer("", [call("c1", "wait")])]);
    const wait = tool("wait", (_, { signal, onDelta }) => {
      signal.addEventListener("abort", () => stopped.resolve());
      onDelta("working");
      return forever();
    });
    for await (const event of runAgent(runInput({ model, tools: [wait] }), runOptions())) {
      if (event.type === "tool-delta") break;
    }
    await stopped.promise;
  });
});

describe("error results from the loop", () => {
  const cases = [
    [
      "a misspelt tool",
      tool("Gone_", () => Promise.resolve(text("x"))),
      /There is no tool called "gone"\. Did you mean "Gone_"\? The tools are/,
    ],
    ["an unknown tool", tool("ls", () => Promise.resolve(text("x"))), /There is no tool called "gone"\. The tools are: ls\./],
    ["a tool that throws", tool("gone", () => Promise.reject(new Error("disk full"))), /gone failed: disk full/],
    [
      "a tool that throws at once",
      tool("gone", () => {
        throw new Error("bad luck");
      }),
      /gone failed: bad luck/,
    ],
    ["a tool that returns an invalid result", tool("gone", () => Promise.resolve("text" as never)), /is no result \(not an object\)/],
    ["invalid content", tool("gone", () => Promise.resolve({ content: [{ type: "html" }] } as never)), /list of texts and images/],
    [
      "details that cannot be kept",
      tool("gone", () => Promise.resolve({ ...text("fine"), details: 1n } as never)),
      /details cannot be kept as JSON/,
    ],
  ] as const;
  test.each(cases)("are returned for %s", async (_, given, expected) => {
    const model = scriptedModel([answer("", [call("c1", "gone")]), answer("Sorry")]);
    const events = await collect(runInput({ model, tools: [given] }));
    expect(resultsOf(events)["c1"]).toMatch(expected);
    expect(events.find(({ type }) => type === "tool-end")).toMatchObject({ result: { isError: true } });
    expect(outcomeOf(events).type).toBe("done");
  });

  test("a call that never ran has no tool-start", async () => {
    const model = scriptedModel([answer("", [call("c1", "gone")]), answer("Sorry")]);
    expect(types(await collect(runInput({ model })))).not.toContain("tool-start");
  });

  test("answers a refused call with the rule, without running it", async () => {
    const model = scriptedModel([answer("", [call("c1", "exec")]), answer("Sorry")]);
    const exec = tool("exec", () => Promise.reject(new Error("must not run")));
    const beforeTool = () => Promise.resolve({ type: "refuse", message: "exec is for the owner" } as const);
    const events = await collect(runInput({ model, tools: [exec], beforeTool }));
    expect(resultsOf(events)["c1"]).toBe("exec is for the owner");
    expect(types(events)).not.toContain("tool-start");
  });

  test("refuses when the check returns no decision", async () => {
    const model = scriptedModel([answer("", [call("c1", "exec")]), answer("Sorry")]);
    const exec = tool("exec", () => Promise.reject(new Error("must not run")));
    const events = await collect(runInput({ model, tools: [exec], beforeTool: () => Promise.resolve(undefined as never) }));
    expect(resultsOf(events)["c1"]).toMatch(/the check before it failed/);
    expect(types(events)).toContain("hook-error");
  });

  test("a failing check refuses the call and is reported to the host", async () => {
    const model = scriptedModel([answer("", [call("c1", "exec")]), answer("Sorry")]);
    const exec = tool("exec", () => Promise.reject(new Error("must not run")));
    const events = await collect(runInput({ model, tools: [exec], beforeTool: () => Promise.reject(new Error("no policy")) }));
    expect(resultsOf(events)["c1"]).toMatch(/the check before it failed/);
    expect(events).toContainEqual({ type: "hook-error", hook: "beforeTool", message: "no policy" });
  });

  test("runs no call of an answer that was cut at its length limit", async () => {
    const model = scriptedModel([answer("", [call("c1", "write")], "length"), answer("Again")]);
    const write = tool("write", () => Promise.reject(new Error("must not run")));
    const events = await collect(runInput({ model, tools: [write] }));
    expect(resultsOf(events)["c1"]).toMatch(/write was not run: the answer reached its length limit/);
    expect(outcomeOf(events).type).toBe("done");
  });
});

describe("steering", () => {
  const news = user("stop that");

  test("is taken before the first request", async () => {
    const model = scriptedModel([answer("Done")]);
    const events = await collect(runInput({ model, steering: queueOf([news]) }));
    expect(types(events).slice(0, 3)).toEqual(["run-start", "turn-start", "steering"]);
    expect(model.requests[0]?.messages).toEqual([user("hello"), news]);
  });

  test("after a call skips the remaining calls and follows the results", async () => {
    const model = scriptedModel([answer("", [call("c1", "ls"), call("c2", "ls"), call("c3", "ls")]), answer("Done")]);
    let runs = 0;
    const ls = tool("ls", () => Promise.resolve(text(`run ${++runs}`)));
    const events = await collect(runInput({ model, tools: [ls], steering: queueOf([], [news]) }));
    expect(runs).toBe(1);
    expect(resultsOf(events)["c2"]).toMatch(/skipped: a message came in/);
    expect(resultsOf(events)["c3"]).toMatch(/skipped: a message came in/);
    expect(types(events).filter((type) => type !== "model-event")).toEqual([
      "run-start",
      "turn-start",
      "message-end",
      "tool-start",
      "tool-end",
      "tool-end",
      "tool-end",
      "steering",
      "turn-end",
      "turn-start",
      "message-end",
      "turn-end",
      "run-end",
    ]);
    expect(model.requests[1]?.messages.map(({ role }) => role)).toEqual([
      "user",
      "assistant",
      "toolResult",
      "toolResult",
      "toolResult",
      "user",
    ]);
  });

  test("in a parallel batch is taken once, before the start", async () => {
    const steering = queueOf([], [news]);
    const model = scriptedModel([answer("", [call("c1", "ls"), call("c2", "ls")]), answer("Done")]);
    const ls = tool("ls", () => Promise.reject(new Error("must not run")), { parallel: true });
    const events = await collect(runInput({ model, tools: [ls], steering }));
    expect(resultsOf(events)["c1"]).toMatch(/skipped/);
    expect(types(events)).not.toContain("tool-start");
    // Before either request and before the start of the batch.
    expect(steering.asked()).toBe(3);
  });

  test("that fails does not stop the run", async () => {
    const model = scriptedModel([answer("Done")]);
    const events = await collect(runInput({ model, steering: { take: () => Promise.reject(new Error("queue gone")) } }));
    expect(events).toContainEqual({ type: "hook-error", hook: "steering.take", message: "queue gone" });
    expect(outcomeOf(events).type).toBe("done");
  });

  test("is not taken by a run that is over", async () => {
    const abort = new AbortController();
    const steering = queueOf([], [news]);
    const model = scriptedModel([answer("", [call("c1", "ls")])]);
    const ls = tool("ls", () => {
      abort.abort("enough");
      return Promise.resolve(text("x"));
    });
    await collect(runInput({ model, tools: [ls], steering }), runOptions({ signal: abort.signal }));
    expect(steering.asked()).toBe(1);
  });
});

describe("parallel calls", () => {
  test("run concurrently within the limit and return results in call order", async () => {
    const gates = new Map(["c1", "c2", "c3"].map((id) => [id, Promise.withResolvers<void>()]));
    const running = new Set<string>();
    let most = 0;
    const fetchPage = tool(
      "fetch",
      async ({ id }) => {
        running.add(id);
        most = Math.max(most, running.size);
        await gates.get(id)?.promise;
        running.delete(id);
        // The last call releases the first one.
        if (id === "c2") gates.get("c3")?.resolve();
        if (id === "c3") gates.get("c1")?.resolve();
        return text(id);
      },
      { parallel: true },
    );
    const model = scriptedModel([answer("", [call("c1", "fetch"), call("c2", "fetch"), call("c3", "fetch")]), answer("Done")]);
    const limits = { maxTurns: 5, maxToolCalls: 10, maxParallelTools: 2 };
    const events = await collect(runInput({ model, tools: [fetchPage] }), runOptions({ limits }), (event) => {
      if (event.type === "tool-start" && event.call.id === "c3") {
        expect(running.size).toBe(0);
        gates.get("c2")?.resolve();
      }
    });
    expect(most).toBe(2);
    expect(events.flatMap((event) => (event.type === "tool-end" ? [event.call.id] : []))).toEqual(["c1", "c2", "c3"]);
    expect(types(events).filter((type) => type.startsWith("tool-"))).toEqual([
      "tool-start",
      "tool-start",
      "tool-start",
      "tool-end",
      "tool-end",
      "tool-end",
    ]);
  });

  test("run sequentially if one of them is not marked parallel", async () => {
    const model = scriptedModel([answer("", [call("c1", "ls"), call("c2", "write")]), answer("Done")]);
    const tools = [tool("ls", () => Promise.resolve(text("a")), { parallel: true }), tool("write", () => Promise.resolve(text("b")))];
    const events = await collect(runInput({ model, tools }));
    expect(types(events).filter((type) => type.startsWith("tool-"))).toEqual(["tool-start", "tool-end", "tool-start", "tool-end"]);
  });
});

describe("an abort", () => {
  test("keeps what a hanging model had shown", async () => {
    const abort = new AbortController();
    const model = scriptedModel([
      async function* () {
        yield { type: "text-start", index: 0 };
        yield { type: "text-delta", index: 0, text: "Once upon" };
        await forever();
      },
    ]);
    const events = await collect(runInput({ model }), runOptions({ signal: abort.signal }), (event) => {
      if (event.type === "model-event" && event.event.type === "text-delta") abort.abort(new Error("/stop"));
    });
    expect(outcomeOf(events)).toEqual({ type: "aborted", reason: "/stop" });
    expect(events.find(({ type }) => type === "message-end")).toMatchObject({
      message: { content: [{ type: "text", text: "Once upon" }], stopReason: "aborted" },
    });
  });

  test("keeps nothing of a withdrawn attempt", async () => {
    const abort = new AbortController();
    const model = scriptedModel([
      async function* () {
        yield { type: "message-start" };
        yield { type: "thinking-delta", index: 0, text: "A first idea" };
        yield { type: "message-start" };
        yield { type: "thinking-delta", index: 0, text: "A second one" };
        yield { type: "text-delta", index: 1, text: "Once" };
        await forever();
      },
    ]);
    const events = await collect(runInput({ model }), runOptions({ signal: abort.signal }), (event) => {
      if (event.type === "model-event" && event.event.type === "text-delta") abort.abort(new Error("/stop"));
    });
    expect(events.find(({ type }) => type === "message-end")).toMatchObject({
      message: {
        content: [
          { type: "thinking", text: "A second one" },
          { type: "text", text: "Once" },
        ],
      },
    });
  });

  test("does not wait for a tool that ignores the abort", async () => {
    const abort = new AbortController();
    const model = scriptedModel([answer("", [call("c1", "hang"), call("c2", "hang")])]);
    const hang = tool("hang", () => {
      abort.abort(new Error("deadline"));
      return forever();
    });
    const events = await collect(runInput({ model, tools: [hang] }), runOptions({ signal: abort.signal }));
    expect(outcomeOf(events)).toEqual({ type: "aborted", reason: "deadline" });
    expect(resultsOf(events)["c1"]).toMatch(/stopped while hang was at work/);
    expect(resultsOf(events)["c2"]).toMatch(/hang was not run/);
  });

  test("does not wait for an approval", async () => {
    const abort = new AbortController();
    const model = scriptedModel([answer("", [call("c1", "exec")])]);
    const beforeTool = () => {
      abort.abort(new Error("deadline"));
      return forever<{ type: "allow" }>();
    };
    const exec = tool("exec", () => Promise.reject(new Error("must not run")));
    const events = await collect(runInput({ model, tools: [exec], beforeTool }), runOptions({ signal: abort.signal }));
    expect(resultsOf(events)["c1"]).toMatch(/exec was not run/);
    expect(outcomeOf(events).type).toBe("aborted");
  });

  test("before the start sends no request", async () => {
    const model = scriptedModel([answer("Done")]);
    const events = await collect(runInput({ model }), runOptions({ signal: AbortSignal.abort("too late") }));
    expect(types(events)).toEqual(["run-start", "run-end"]);
    expect(outcomeOf(events)).toEqual({ type: "aborted", reason: "too late" });
    expect(model.requests).toEqual([]);
  });
});

describe("a failing model", () => {
  test("ends the run with its code and keeps what was shown", async () => {
    const reply: readonly ModelEvent[] = [
      { type: "text-start", index: 0 },
      { type: "text-delta", index: 0, text: "Half" },
      failure("overloaded", "The provider is busy."),
    ];
    const events = await collect(runInput({ model: scriptedModel([reply]) }));
    expect(outcomeOf(events)).toEqual({ type: "failed", code: "overloaded", message: "The provider is busy." });
    expect(events.find(({ type }) => type === "turn-end")).toMatchObject({
      message: { content: [{ type: "text", text: "Half" }], stopReason: "error", errorMessage: "The provider is busy." },
    });
  });

  test("that showed nothing leaves no message", async () => {
    const events = await collect(runInput({ model: scriptedModel([[failure("unauthorized", "No key.")]]) }));
    expect(types(events)).toEqual(["run-start", "turn-start", "run-end"]);
    expect(outcomeOf(events)).toMatchObject({ type: "failed", code: "unauthorized" });
  });

  test("lets the client close its connection after the answer", async () => {
    let closed = false;
    const model = scriptedModel([
      async function* () {
        try {
          await Promise.resolve();
          yield* answer("Done");
        } finally {
          closed = true;
        }
      },
    ]);
    await collect(runInput({ model }));
    expect(closed).toBe(true);
  });

  test("takes a client that throws or stops in the middle as a failure", async () => {
    const broken = scriptedModel([
      async function* () {
        await Promise.resolve();
        yield { type: "message-start" };
        throw new Error("socket");
      },
    ]);
    expect(outcomeOf(await collect(runInput({ model: broken })))).toMatchObject({ type: "failed", code: "internal" });
    const silent = scriptedModel([[{ type: "message-start" }]]);
    expect(outcomeOf(await collect(runInput({ model: silent })))).toMatchObject({ type: "failed", code: "truncated" });
  });

  test("loses the calls of an answer that was not finished", async () => {
    const partial = assistant("Let me see", [call("c1", "ls")], "error");
    const failed: ModelEvent = { ...(failure("server", "500") as Extract<ModelEvent, { type: "message-failed" }>), partial };
    const events = await collect(runInput({ model: scriptedModel([[failed]]) }));
    expect(events.find(({ type }) => type === "message-end")).toMatchObject({
      message: { content: [{ type: "text", text: "Let me see" }] },
    });
    expect(types(events)).not.toContain("tool-end");
  });
});

describe("limits", () => {
  const endless = (name: string) => Array.from({ length: 40 }, (_, turn) => answer("", [call(`c${turn}`, name, { turn })]));
  const ls = tool("ls", () => Promise.resolve(text("x")));

  test("bound the number of turns", async () => {
    const model = scriptedModel(endless("ls"));
    const limits = { maxTurns: 3, maxToolCalls: 100, maxParallelTools: 1 };
    const events = await collect(runInput({ model, tools: [ls] }), runOptions({ limits }));
    expect(model.requests).toHaveLength(3);
    expect(outcomeOf(events)).toMatchObject({ type: "failed", code: "max-turns" });
  });

  test("bound the number of calls, including unknown tools", async () => {
    const model = scriptedModel([answer("", [call("c1", "ls"), call("c2", "gone"), call("c3", "ls")]), answer("Done")]);
    const limits = { maxTurns: 20, maxToolCalls: 2, maxParallelTools: 1 };
    const events = await collect(runInput({ model, tools: [ls] }), runOptions({ limits }));
    expect(resultsOf(events)["c3"]).toMatch(/limit of 2 tool calls/);
    expect(outcomeOf(events)).toMatchObject({ type: "failed", code: "max-tool-calls" });
    expect(model.requests).toHaveLength(1);
  });

  test("end repeated calls: a note at 3, the end at 5", async () => {
    const model = scriptedModel(Array.from({ length: 9 }, (_, turn) => answer("", [call(`c${turn}`, "ls", { path: "." })])));
    const events = await collect(runInput({ model, tools: [ls] }));
    const results = resultsOf(events);
    expect(results["c1"]).toBe("x");
    expect(results["c2"]).toMatch(/^x\n\[Note: ls 3 times in a row/);
    expect(model.requests).toHaveLength(5);
    expect(outcomeOf(events)).toMatchObject({ type: "failed", code: "loop" });
  });

  test("restart the count of repeated calls after a steering message", async () => {
    const model = scriptedModel([...Array.from({ length: 6 }, (_, turn) => answer("", [call(`c${turn}`, "ls")])), answer("Done")]);
    const steering = queueOf([], [], [], [], [], [], [user("look again")]);
    const events = await collect(runInput({ model, tools: [ls], steering }));
    expect(outcomeOf(events).type).toBe("done");
  });

  test("skip the other calls of the message that loops", async () => {
    const same = Array.from({ length: 7 }, (_, index) => call(`c${index}`, "ls"));
    const events = await collect(runInput({ model: scriptedModel([answer("", same)]), tools: [ls] }));
    expect(resultsOf(events)["c5"]).toMatch(/not run: the run was ended because it went in circles/);
    expect(outcomeOf(events)).toMatchObject({ type: "failed", code: "loop" });
  });
});

describe("taint", () => {
  test("is passed to the check from the request that included the untrusted text", async () => {
    const seen: [string, boolean][] = [];
    const model = scriptedModel([answer("", [call("c1", "fetch"), call("c2", "send")]), answer("", [call("c3", "send")]), answer("Done")]);
    const tools = [
      tool("fetch", () => Promise.resolve(text("from a stranger")), { output: "untrusted" }),
      tool("send", () => Promise.resolve(text("sent")), { effect: "send" }),
    ];
    const events = await collect(
      runInput({
        model,
        tools,
        beforeTool: ({ id }, _, { tainted }) => {
          seen.push([id, tainted]);
          return Promise.resolve({ type: "allow" });
        },
      }),
    );
    expect(seen).toEqual([
      ["c1", false],
      ["c2", false],
      ["c3", true],
    ]);
    const marks = events.flatMap((event) => (event.type === "tool-end" ? [event.result.tainted === true] : []));
    expect(marks).toEqual([true, false, false]);
  });

  test("does not reach a tool whose call the owner has confirmed", async () => {
    const seen: [string, boolean][] = [];
    const model = scriptedModel([answer("", [call("c1", "write"), call("c2", "write")]), answer("Done")]);
    const write = { ...tool("write", () => Promise.resolve(text("written"))) };
    const execute: typeof write.execute = (one, options) => {
      seen.push([one.id, options.tainted]);
      return write.execute(one, options);
    };
    await collect(
      runInput({
        model,
        tools: [{ ...write, execute }],
        tainted: true,
        beforeTool: ({ id }) => Promise.resolve(id === "c1" ? { type: "allow", isConfirmed: true } : { type: "allow" }),
      }),
    );
    expect(seen).toEqual([
      ["c1", false],
      ["c2", true],
    ]);
  });

  test.each([
    ["a tainted prompt", { prompt: { ...user("hi"), tainted: true } }],
    ["an already tainted turn", { tainted: true }],
    ["a steering message", { steering: queueOf([{ ...user("hi"), tainted: true }]) }],
  ])("starts with %s", async (_, parts) => {
    let seen: boolean | undefined;
    const model = scriptedModel([answer("", [call("c1", "ls")]), answer("Done")]);
    await collect(
      runInput({
        model,
        tools: [tool("ls", () => Promise.resolve(text("x")))],
        beforeTool: (_call, _tool, { tainted }) => {
          seen = tainted;
          return Promise.resolve({ type: "allow" });
        },
        ...parts,
      }),
    );
    expect(seen).toBe(true);
  });
});

test("the check before a tool gets the conversation so far", async () => {
  const seen: string[] = [];
  const model = scriptedModel([answer("", [call("c1", "ls")]), answer("", [call("c2", "ls")]), answer("Done")]);
  await collect(
    runInput({
      model,
      tools: [tool("ls", () => Promise.resolve(text("x")))],
      messages: [user("earlier"), assistant("yes")],
      beforeTool: (_call, _tool, { messages }) => {
        seen.push(messages.map(({ role }) => role).join(" "));
        return Promise.resolve({ type: "allow" });
      },
    }),
  );
  expect(seen).toEqual(["user assistant user assistant", "user assistant user assistant toolResult assistant"]);
});

test("can be set by a single result of a trusted tool", async () => {
  const model = scriptedModel([answer("", [call("c1", "read")]), answer("Done")]);
  const read = tool("read", () => Promise.resolve({ ...text("a file that was received"), untrusted: true }));
  const events = await collect(runInput({ model, tools: [read] }));
  expect(events.find(({ type }) => type === "tool-end")).toMatchObject({ result: { tainted: true } });
});

test.each([
  ["untrusted", true],
  ["trusted", undefined],
] as const)("of the error that a tool with %s output throws follows the tool's trait", async (output, tainted) => {
  const model = scriptedModel([answer("", [call("c1", "fetch")]), answer("Done")]);
  const fetch = tool("fetch", () => Promise.reject(new Error("404: a stranger's words")), { output });
  const events = await collect(runInput({ model, tools: [fetch] }));
  const ended = events.find(({ type }) => type === "tool-end");
  expect(ended?.type === "tool-end" && ended.result.isError).toBe(true);
  expect(ended?.type === "tool-end" && ended.result.tainted).toBe(tainted);
});

test.each([
  [true, undefined],
  [false, true],
])("is not set by a failure that the tool marks as its own text; a success cannot be marked so: %s", async (isError, tainted) => {
  const model = scriptedModel([answer("", [call("c1", "fetch")]), answer("Done")]);
  const fetch = tool("fetch", () => Promise.resolve({ ...text("not an address"), isError, untrusted: false }), { output: "untrusted" });
  const events = await collect(runInput({ model, tools: [fetch] }));
  const ended = events.find(({ type }) => type === "tool-end");
  expect(ended?.type === "tool-end" && ended.result.tainted).toBe(tainted);
});

describe("a run without a prompt", () => {
  test("resumes from the results", async () => {
    const history = [user("hi"), assistant("", [call("c1", "ls")])];
    const result = { role: "toolResult", toolCallId: "c1", toolName: "ls", content: [], isError: false, timestamp: 1 } as const;
    const model = scriptedModel([answer("Done")]);
    const events = await collect(runInput({ model, prompt: undefined, messages: [...history, result] }));
    expect(outcomeOf(events).type).toBe("done");
    expect(model.requests[0]?.messages).toHaveLength(3);
  });

  test.each([
    ["the answer is final", assistant("There it is"), { type: "done" }],
    [
      "a stopped answer stays stopped",
      { ...assistant("Half", [], "aborted"), errorMessage: "/stop" },
      { type: "aborted", reason: "/stop" },
    ],
    ["a broken answer stays broken", assistant("Half", [], "error"), { type: "failed", code: "truncated" }],
  ])("makes no request if %s", async (_, last, expected) => {
    const model = scriptedModel([]);
    const events = await collect(runInput({ model, prompt: undefined, messages: [user("hi"), last] }));
    expect(outcomeOf(events)).toMatchObject(expected);
    expect(model.requests).toEqual([]);
  });

  test("uses a known result without running or checking its call, and runs the others", async () => {
    const asked: string[] = [];
    const known = { content: [{ type: "text", text: "It may have run." }], isError: true, tainted: true } as const;
    const model = scriptedModel([answer("", [call("c1", "gone"), call("c2", "ls")]), answer("Done")]);
    const input = runInput({ model, tools: [tool("ls", async () => ({ content: [] }))], knownResults: new Map([["c1", known]]) });
    const events = await collect({
      ...input,
      beforeTool: async ({ id }) => {
        asked.push(id);
        return { type: "allow" };
      },
    });
    const [first] = events.flatMap((event) => (event.type === "tool-end" ? [event.result] : []));
    expect(first).toMatchObject({ toolCallId: "c1", content: known.content, isError: true, tainted: true });
    expect(asked).toEqual(["c2"]);
    expect(events.flatMap((event) => (event.type === "tool-start" ? [event.call.id] : []))).toEqual(["c2"]);
    expect(outcomeOf(events).type).toBe("done");
  });

  test("does nothing without a history", async () => {
    const events = await collect(runInput({ model: scriptedModel([]), prompt: undefined }));
    expect(outcomeOf(events)).toMatchObject({ type: "failed", code: "internal" });
  });
});
