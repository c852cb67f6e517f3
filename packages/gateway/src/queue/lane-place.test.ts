import type { ModelClient, ModelEvent, ModelRequest } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { holdPlaceWhileAsking, OUTER_PLACE } from "./lane-place.ts";
import type { LanePlace } from "./lane-place.ts";

const REQUEST = {} as ModelRequest;
const START: ModelEvent = { type: "message-start" };

/** A client and a place that write down what is done with them. */
function createScene({ fails = false } = {}) {
  const log: string[] = [];
  const inner: ModelClient = {
    info: { id: "m1" } as ModelClient["info"],
    async *stream() {
      log.push("ask");
      yield START;
      if (fails) throw new Error("broken");
      yield START;
    },
  };
  const place: LanePlace = {
    enter: async (signal) => {
      signal.throwIfAborted();
      log.push("enter");
    },
    leave: () => log.push("leave"),
  };
  const client = holdPlaceWhileAsking(inner, place);
  return { log, client, inner };
}

async function collect(events: AsyncIterable<ModelEvent>): Promise<readonly ModelEvent[]> {
  const all: ModelEvent[] = [];
  for await (const event of events) all.push(event);
  return all;
}

test("a place is held from before the request until its stream ends", async () => {
  const { log, client, inner } = createScene();
  expect(client.info).toBe(inner.info);
  const { signal } = new AbortController();
  expect(await collect(client.stream(REQUEST, { signal }))).toEqual([START, START]);
  expect(log).toEqual(["enter", "ask", "leave"]);
});

test("a place is released when the stream fails and when nobody reads on", async () => {
  const broken = createScene({ fails: true });
  const { signal } = new AbortController();
  await expect(collect(broken.client.stream(REQUEST, { signal }))).rejects.toThrow("broken");
  expect(broken.log).toEqual(["enter", "ask", "leave"]);
  const left = createScene();
  for await (const _event of left.client.stream(REQUEST, { signal })) break;
  expect(left.log).toEqual(["enter", "ask", "leave"]);
});

test("nothing is asked when the run is stopped while it waits for its place", async () => {
  const { log, client } = createScene();
  expect(await collect(client.stream(REQUEST, { signal: AbortSignal.abort() }))).toMatchObject([
    { type: "message-failed", error: { code: "aborted" } },
  ]);
  expect(log).toEqual([]);
});

test("work within another item waits for no place", async () => {
  await OUTER_PLACE.enter(AbortSignal.abort());
  OUTER_PLACE.leave();
});
