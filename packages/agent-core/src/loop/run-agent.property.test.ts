import type { AgentEvent, AgentTool, AgentToolResult, ModelEvent, ToolCall, UserMessage } from "@factotum/agent-contract";
import fc from "fast-check";
import { expect, test } from "vitest";
import {
  answer,
  assistant,
  call,
  collect,
  failure,
  runInput,
  runOptions,
  scriptedModel,
  text,
  tool,
  user,
} from "../../test/scripted-model.ts";

type ToolDeed = "answer" | "long" | "throw" | "nonsense" | "hang" | "slow" | "abort";

interface Scenario {
  readonly turns: readonly {
    readonly end: "answer" | "length" | "fail" | "break" | "hang" | "throw";
    readonly text: string;
    readonly calls: readonly string[];
  }[];
  readonly deeds: readonly ToolDeed[];
  readonly steering: readonly number[];
  readonly refuse: readonly boolean[];
  /** Number of events after which the run is aborted. */
  readonly abortAfter: number;
  readonly limits: { readonly maxTurns: number; readonly maxToolCalls: number; readonly maxParallelTools: number };
}

const scenarios: fc.Arbitrary<Scenario> = fc.record({
  turns: fc.array(
    fc.record({
      end: fc.constantFrom("answer", "answer", "answer", "length", "fail", "break", "hang", "throw"),
      text: fc.string({ maxLength: 8 }),
      calls: fc.array(fc.constantFrom("seq", "seq", "par", "par", "par", "gone"), { maxLength: 4 }),
    }),
    { minLength: 1, maxLength: 8 },
  ),
  deeds: fc.array(fc.constantFrom<ToolDeed>("answer", "long", "throw", "nonsense", "hang", "slow", "abort"), {
    minLength: 1,
    maxLength: 12,
  }),
  steering: fc.array(fc.integer({ min: -1, max: 2 }), { maxLength: 12 }),
  refuse: fc.array(fc.boolean(), { maxLength: 12 }),
  abortAfter: fc.integer({ min: 1, max: 60 }),
  limits: fc.record({
    maxTurns: fc.integer({ min: 1, max: 6 }),
    maxToolCalls: fc.integer({ min: 0, max: 8 }),
    maxParallelTools: fc.integer({ min: 1, max: 4 }),
  }),
});

const forever = <T>(): Promise<T> => new Promise(() => undefined);

/** Runs a scenario. Hanging work is released by an abort when nothing else happens. */
async function play(
  scenario: Scenario,
): Promise<{ readonly events: AgentEvent[]; readonly taken: UserMessage[]; readonly aborted: boolean }> {
  const abort = new AbortController();
  let ids = 0;
  let deed = 0;
  let asked = 0;
  let checks = 0;
  const hangs = (): Promise<never> => {
    queueMicrotask(() => abort.abort(new Error("freed")));
    return forever();
  };
  const execute = async (): Promise<AgentToolResult> => {
    switch (scenario.deeds[deed++ % scenario.deeds.length]) {
      case "long":
        return text("long ".repeat(500));
      case "throw":
        throw new Error("thrown");
      case "nonsense":
        return { content: "no list" } as never;
      case "hang":
        return await hangs();
      case "slow":
        for (let count = 0; count < 5; count++) await Promise.resolve();
        return text("slow");
      case "abort":
        abort.abort(new Error("by a tool"));
        return text("too late");
      default:
        return text(`result ${deed}`);
    }
  };
  const tools: AgentTool[] = [
    tool("seq", async (_, { onDelta }) => (onDelta("."), await execute())),
    tool("par", async (_, { onDelta }) => (onDelta("."), await execute()), { parallel: true }),
  ];
  const model = scriptedModel(
    scenario.turns.map(
      ({ end, text: said, calls }) =>
        async function* (): AsyncIterable<ModelEvent> {
          await Promise.resolve();
          const made = calls.map((name): ToolCall => call(`c${ids++}`, name, { n: ids }));
          if (end === "answer") return yield* answer(said, made);
          if (end === "length") return yield* answer(said, made, "length");
          yield { type: "text-start", index: 0 };
          yield { type: "text-delta", index: 0, text: said };
          if (end === "fail")
            yield {
              ...(failure("server", "500") as Extract<ModelEvent, { type: "message-failed" }>),
              partial: assistant(said, made, "error"),
            };
          if (end === "hang") await hangs();
          if (end === "throw") throw new Error("client");
        },
    ),
  );
  const taken: UserMessage[] = [];
  const steering = {
    take: (): Promise<readonly UserMessage[]> => {
      const count = scenario.steering[asked++] ?? 0;
      if (count < 0) return Promise.reject(new Error("queue"));
      const batch = Array.from({ length: count }, (_, index) => user(`steer ${asked}.${index}`));
      taken.push(...batch);
      return Promise.resolve(batch);
    },
  };
  const beforeTool = () =>
    Promise.resolve(scenario.refuse[checks++] === true ? ({ type: "refuse", message: "no" } as const) : ({ type: "allow" } as const));
  let count = 0;
  const events = await collect(
    runInput({ model, tools, steering, beforeTool }),
    runOptions({ signal: abort.signal, limits: scenario.limits, maxToolResultChars: 400 }),
    () => {
      if (++count >= scenario.abortAfter) abort.abort(new Error("from outside"));
    },
  );
  return { events, taken, aborted: abort.signal.aborted };
}

test("every run ends once, answers every call once, and nests its events", async () => {
  await fc.assert(
    fc.asyncProperty(scenarios, async (scenario) => {
      const { events, taken, aborted } = await play(scenario);
      expect(events[0]?.type).toBe("run-start");
      expect(events.filter(({ type }) => type === "run-end")).toHaveLength(1);
      const last = events.at(-1);
      if (last?.type !== "run-end") throw new Error("run-end is not the last event");
      if (last.outcome.type === "aborted") expect(aborted).toBe(true);
      checkNesting(events);
      expect(events.flatMap((event) => (event.type === "steering" ? event.messages : []))).toEqual(taken);
      const results = events.flatMap((event) => (event.type === "tool-end" ? [event.result] : []));
      for (const { content, isError } of results) {
        expect(content.reduce((sum, part) => sum + (part.type === "text" ? part.text.length : 0), 0)).toBeLessThanOrEqual(400);
        expect(typeof isError).toBe("boolean");
      }
    }),
    { numRuns: 2_000 },
  );
});

test("a clock that throws ends the run as failed", async () => {
  const model = scriptedModel([answer("", [call("c1", "gone")])]);
  const now = (): number => {
    throw new Error("no clock");
  };
  const events = await collect(runInput({ model, now }));
  expect(events.at(-1)).toMatchObject({ outcome: { type: "failed", code: "internal", message: "The run broke: no clock" } });
});

/** Checks the nesting of events against a grammar, independent of the loop's own bookkeeping. */
function checkNesting(events: readonly AgentEvent[]): void {
  let turn = 0;
  let place: "outside" | "asking" | "acting" = "outside";
  let expected: string[] = [];
  const started = new Set<string>();
  const ended = new Set<string>();
  for (const event of events) {
    if ("turn" in event) expect(event.turn).toBe(event.type === "turn-start" ? turn + 1 : turn);
    switch (event.type) {
      case "turn-start":
        expect(place).toBe("outside");
        [turn, place] = [turn + 1, "asking"];
        break;
      case "model-event":
        expect(place).toBe("asking");
        break;
      case "message-end":
        expect(place).toBe("asking");
        place = "acting";
        expected = event.message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : []));
        break;
      case "tool-start":
        expect(place).toBe("acting");
        expect(expected).toContain(event.call.id);
        expect(started.has(event.call.id)).toBe(false);
        started.add(event.call.id);
        break;
      case "tool-delta":
        expect(started.has(event.callId) && !ended.has(event.callId)).toBe(true);
        break;
      case "tool-end":
        expect(event.call.id).toBe(expected.shift());
        expect(event.result.toolCallId).toBe(event.call.id);
        ended.add(event.call.id);
        break;
      case "turn-end":
        expect(place).toBe("acting");
        expect(expected).toEqual([]);
        expect(event.toolResults.map(({ toolCallId }) => toolCallId)).toEqual(
          event.message.content.flatMap((block) => (block.type === "toolCall" ? [block.id] : [])),
        );
        place = "outside";
        break;
      case "run-end":
        expect(expected).toEqual([]);
        expect(place).not.toBe("acting");
        break;
      case "run-start":
      case "steering":
      case "hook-error":
        break;
      default:
        event satisfies never;
    }
  }
  for (const id of started) expect(ended.has(id)).toBe(true);
}
