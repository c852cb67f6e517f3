import fc from "fast-check";
import { ManualClock } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { createRateLimiter } from "./index.ts";

const never = new AbortController().signal;

test("lets a burst pass, then one for every interval, in the order of the calls", async () => {
  const clock = new ManualClock(0);
  const limiter = createRateLimiter({ burst: 3, intervalMs: 100, clock });
  const passed: number[] = [];
  const all = [1, 2, 3, 4, 5].map(async (number) => {
    await limiter.take({ signal: never });
    passed.push(number);
  });
  await Promise.all(all.slice(0, 3));
  expect(passed).toEqual([1, 2, 3]);
  expect(clock.pending).toEqual([100]);
  clock.advance(99);
  await Promise.resolve();
  expect(passed).toEqual([1, 2, 3]);
  clock.advance(1);
  await all[3];
  clock.advance(100);
  await all[4];
  expect(passed).toEqual([1, 2, 3, 4, 5]);
});

test("fills up to the burst and no further", async () => {
  const clock = new ManualClock(0);
  const limiter = createRateLimiter({ burst: 2, intervalMs: 100, clock });
  clock.advance(100_000);
  await limiter.take({ signal: never, cost: 2 });
  void limiter.take({ signal: never });
  expect(clock.pending).toEqual([100]);
});

test("a cost over the burst waits for a full bucket and is paid off afterwards", async () => {
  const clock = new ManualClock(0);
  const limiter = createRateLimiter({ burst: 2, intervalMs: 100, clock });
  await limiter.take({ signal: never, cost: 5 });
  void limiter.take({ signal: never });
  expect(clock.pending).toEqual([400]);
});

test("a call that is aborted while it waits costs nothing and holds up no other", async () => {
  const clock = new ManualClock(0);
  const limiter = createRateLimiter({ burst: 1, intervalMs: 100, clock });
  await limiter.take({ signal: never });
  const abort = new AbortController();
  const given = limiter.take({ signal: abort.signal });
  const next = limiter.take({ signal: never });
  abort.abort(new Error("enough"));
  await expect(given).rejects.toThrow("enough");
  clock.advance(100);
  await next;
  await expect(limiter.take({ signal: abort.signal })).rejects.toThrow("enough");
});

test("a small call that waited behind a large one passes at once when that is aborted", async () => {
  const clock = new ManualClock(0);
  const limiter = createRateLimiter({ burst: 4, intervalMs: 100, clock });
  await limiter.take({ signal: never, cost: 3 });
  const abort = new AbortController();
  const large = limiter.take({ signal: abort.signal, cost: 4 });
  const small = limiter.take({ signal: never });
  expect(clock.pending).toEqual([300]);
  abort.abort(new Error("enough"));
  await expect(large).rejects.toThrow("enough");
  await small;
  expect(clock.pending).toEqual([]);
});

test("in no window more passes than the burst and one for each interval in it (property)", async () => {
  const costs = fc.array(fc.tuple(fc.integer({ min: 0, max: 300 }), fc.integer({ min: 1, max: 4 })), { minLength: 1, maxLength: 30 });
  await fc.assert(
    fc.asyncProperty(costs, async (calls) => {
      const clock = new ManualClock(0);
      const limiter = createRateLimiter({ burst: 4, intervalMs: 100, clock });
      const spent: { atMs: number; cost: number }[] = [];
      for (const [waitMs, cost] of calls) {
        clock.advance(waitMs);
        const taken = limiter.take({ signal: never, cost }).then(() => spent.push({ atMs: clock.monotonic(), cost }));
        await Promise.resolve();
        for (let due = clock.pending[0]; due !== undefined; due = clock.pending[0]) clock.advance(due);
        await taken;
      }
      for (const [index, { atMs }] of spent.entries()) {
        for (const end of spent.slice(index)) {
          const cost = spent.filter((one) => one.atMs >= atMs && one.atMs <= end.atMs).reduce((sum, one) => sum + one.cost, 0);
          expect(cost).toBeLessThanOrEqual(4 + (end.atMs - atMs) / 100 + 0.01);
        }
      }
    }),
  );
});
