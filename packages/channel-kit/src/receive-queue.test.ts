import { ManualClock } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import type { ChannelHost, Logger, MsgContext } from "@factotum/channel-contract";
import { createReceiveQueue } from "./index.ts";

const health = { state: "connected" } as const;
const message = (eventId: string): MsgContext => ({ eventId }) as MsgContext;
const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

/** A gateway that fails as often as `failures` says. */
function setUp({ error = new Error("the disk is full"), maxWaiting = 10 } = {}) {
  const clock = new ManualClock(0);
  const stored: string[] = [];
  const logged: string[] = [];
  const gateway = { failures: 0, calls: 0 };
  const log = (text: string): void => void logged.push(text);
  const logger: Logger = { debug: log, info: log, warn: log, error: log, child: () => logger };
  const host: Pick<ChannelHost, "receive" | "clock" | "random" | "logger"> = {
    clock,
    logger,
    random: { bytes: () => new Uint8Array(), uuid: () => "", float: () => 0.5 },
    receive: ({ eventId }) => {
      gateway.calls += 1;
      if (gateway.failures > 0) {
        gateway.failures -= 1;
        return Promise.reject(error);
      }
      stored.push(eventId);
      return Promise.resolve("accepted");
    },
  };
  return { queue: createReceiveQueue(host, { maxWaiting }), clock, stored, logged, gateway };
}

test("retries a message until it is stored, keeps the order, and reports it meanwhile", async () => {
  const { queue, clock, stored, gateway, logged } = setUp();
  gateway.failures = 3;
  queue.add(message("one"));
  queue.add(message("two"));
  await settle();
  expect(queue.addTo(health)).toMatchObject({ state: "degraded", detail: expect.stringContaining("2 received, not stored yet") });
  for (let turn = 0; turn < 3; turn += 1) {
    expect(stored).toEqual([]);
    clock.advance(clock.pending[0] ?? 0);
    await settle();
  }
  expect(stored).toEqual(["one", "two"]);
  expect(queue.addTo(health)).toEqual(health);
  expect(logged).toHaveLength(1);
});

test("waits longer after every failure, never less than a quarter of a second", async () => {
  const { queue, clock, gateway } = setUp();
  gateway.failures = 12;
  queue.add(message("one"));
  const delays: number[] = [];
  for (let turn = 0; turn < 12; turn += 1) {
    await settle();
    delays.push(clock.pending[0] ?? 0);
    clock.advance(clock.pending[0] ?? 0);
  }
  expect(delays.toSorted((left, right) => left - right)).toEqual(delays);
  expect(delays[0]).toBe(375);
  expect(delays.at(-1)).toBe(15_250);
});

test("drops a message that can never be stored, and goes on", async () => {
  const { queue, stored, gateway } = setUp({ error: new RangeError("too large") });
  gateway.failures = 1;
  queue.add(message("one"));
  queue.add(message("two"));
  await settle();
  expect(stored).toEqual(["two"]);
  expect(queue.addTo(health)).toMatchObject({ state: "connected", detail: "messages: 1 lost since the start" });
});

test("keeps no more than the limit, and counts what it loses", async () => {
  const { queue, clock, stored, gateway } = setUp({ maxWaiting: 2 });
  gateway.failures = 1;
  for (const id of ["one", "two", "three"]) queue.add(message(id));
  await settle();
  expect(queue.addTo({ state: "disconnected", detail: "no connection" })).toEqual({
    state: "disconnected",
    detail: "no connection; messages: 2 received, not stored yet; it is tried again, 1 lost since the start",
  });
  clock.advance(10_000);
  await settle();
  expect(stored).toEqual(["one", "two"]);
});

test("stop waits until everything is stored", async () => {
  const { queue, clock, stored, gateway } = setUp();
  gateway.failures = 1;
  queue.add(message("one"));
  let stopped = false;
  const stopping = queue.stop({ signal: new AbortController().signal }).then(() => (stopped = true));
  await settle();
  expect(stopped).toBe(false);
  clock.advance(10_000);
  await stopping;
  expect(stored).toEqual(["one"]);
});

test("stop gives up when its signal fires, schedules nothing more and logs what is lost", async () => {
  const { queue, clock, gateway, logged } = setUp();
  gateway.failures = 5;
  queue.add(message("one"));
  await settle();
  await queue.stop({ signal: AbortSignal.abort() });
  expect(clock.pending).toEqual([]);
  expect(logged.at(-1)).toContain("messages lost");
});

test("a call that fails after the stop gave up is not repeated", async () => {
  const { queue, clock, gateway } = setUp();
  gateway.failures = 5;
  queue.add(message("one"));
  await queue.stop({ signal: AbortSignal.abort() });
  await settle();
  expect(clock.pending).toEqual([]);
  expect(gateway.calls).toBe(1);
});

test("passes the progress on", async () => {
  const calls: unknown[][] = [];
  const { clock } = setUp();
  const queue = createReceiveQueue({
    clock,
    random: { bytes: () => new Uint8Array(), uuid: () => "", float: () => 0 },
    logger: {} as Logger,
    receive: (...given) => {
      calls.push(given);
      return Promise.resolve("accepted");
    },
  });
  queue.add(message("one"), { cursor: "7" });
  await settle();
  expect(calls).toEqual([[message("one"), { cursor: "7" }]]);
});
