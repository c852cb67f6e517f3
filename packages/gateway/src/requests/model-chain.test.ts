import { ModelError } from "@factotum/agent-contract";
import type { ModelClient, ModelEvent, ModelRequest } from "@factotum/agent-contract";
import { Cooldowns } from "@factotum/models";
import type { SpendCharge } from "@factotum/store";
import { expect, test } from "vitest";
import { hastyClock } from "../../test/hasty-clock.ts";
import { createMemoryLogger, realRandom } from "../../test/gateway-harness.ts";
import { HookRunner } from "../hooks/hook-runner.ts";
import { Observer } from "../observe/observer.ts";
import { OUTER_PLACE } from "../queue/lane-place.ts";
import type { LanePlace } from "../queue/lane-place.ts";
import { SpendGuard } from "../spend/spend-guard.ts";
import { modelChain } from "./model-chain.ts";

const REQUEST: ModelRequest = { system: { stable: "", session: "" }, messages: [], tools: [] };
const PIECE: ModelEvent = { type: "thinking-start", index: 0 };
const FAILURE: ModelEvent = {
  type: "message-failed",
  error: new ModelError("overloaded", "Busy.", { retry: { type: "backoff" } }),
};

/** A client and a lane place that log their calls. */
function createScene({ breaks = false, failures = 0, failure = FAILURE } = {}) {
  const log: string[] = [];
  const charged: SpendCharge[] = [];
  const inner: ModelClient = {
    info: { id: "m1" } as ModelClient["info"],
    async *stream() {
      log.push("ask");
      if (failures-- > 0) {
        yield failure;
        return;
      }
      yield PIECE;
      if (breaks) throw new Error("broken");
      yield PIECE;
    },
  };
  const place: LanePlace = {
    enter: async (signal) => {
      signal.throwIfAborted();
      log.push("enter");
    },
    leave: () => log.push("leave"),
  };
  const logger = createMemoryLogger();
  const spend = new SpendGuard({
    caps: () => ({ unattended: { tokensPerDay: 1000, usdPerDay: 1 }, perCause: {}, perAgent: {} }),
    store: {
      addSpend: async (charge) => void charged.push(charge),
      readSpend: async () => [],
      readTreeSpend: async () => ({ tokens: 0, costUsd: 0 }),
    },
    clock: hastyClock,
    logger,
    dayOf: () => "2026-01-01",
    timeZoneOf: () => "UTC",
  });
  const observer = new Observer({ clock: hastyClock, logger, currentTurn: () => undefined });
  const model = { reference: "test/m1", client: inner, candidates: [{ client: inner }] };
  const cause = { agentId: "main", kind: "user", sessionKey: "agent:main:main", owner: true } as const;
  const hooks = new HookRunner({ sources: () => [], clock: hastyClock, logger });
  const options = { clock: hastyClock, random: realRandom, cooldowns: new Cooldowns(), spend, observer, hooks, place };
  const client = modelChain([model], cause, options);
  return { log, charged, client, inner };
}

async function collect(events: AsyncIterable<ModelEvent>): Promise<readonly ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

test("the place is held from before the request until its stream ends", async () => {
  const { log, client, inner } = createScene();
  expect(client.info).toBe(inner.info);
  const { signal } = new AbortController();
  expect(await collect(client.stream(REQUEST, { signal }))).toEqual([PIECE, PIECE]);
  expect(log).toEqual(["enter", "ask", "leave"]);
});

test("the place is released when the stream fails and when its reader stops", async () => {
  const broken = createScene({ breaks: true });
  const { signal } = new AbortController();
  await expect(collect(broken.client.stream(REQUEST, { signal }))).rejects.toThrow("broken");
  expect(broken.log).toEqual(["enter", "ask", "leave"]);
  const left = createScene();
  for await (const _event of left.client.stream(REQUEST, { signal })) break;
  expect(left.log).toEqual(["enter", "ask", "leave"]);
  // The reservation for it is released.
  expect(left.charged).toMatchObject([{ calls: 1, tokens: 0 }]);
});

test("the place is released during the backoff between retries", async () => {
  const { log, client } = createScene({ failures: 1 });
  expect(await collect(client.stream(REQUEST, { signal: new AbortController().signal }))).toEqual([PIECE, PIECE]);
  expect(log).toEqual(["enter", "ask", "leave", "enter", "ask", "leave"]);
});

test("an attempt that breaks off is charged for its partial answer", async () => {
  const usage = { input: 30, output: 4, cacheRead: 0, cacheWrite: 0, total: 34 };
  const { charged, client } = createScene({
    failures: 1,
    failure: {
      type: "message-failed",
      error: new ModelError("unreachable", "The connection broke.", { retry: { type: "never" } }),
      partial: {
        role: "assistant",
        content: [{ type: "text", text: "I beg" }],
        api: "test",
        provider: "test",
        model: "m1",
        usage,
        stopReason: "error",
        timestamp: 0,
      },
    },
  });
  await collect(client.stream(REQUEST, { signal: new AbortController().signal }));
  expect(charged).toMatchObject([{ tokens: 34 }]);
});

test("sends no request if the run is stopped while it waits for its place", async () => {
  const { log, client } = createScene();
  expect(await collect(client.stream(REQUEST, { signal: AbortSignal.abort() }))).toMatchObject([
    { type: "message-failed", error: { code: "aborted" } },
  ]);
  expect(log).toEqual([]);
});

test("work inside another item waits for no place", async () => {
  await OUTER_PLACE.enter(AbortSignal.abort());
  OUTER_PLACE.leave();
});
