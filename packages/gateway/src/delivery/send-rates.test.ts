import type { Clock } from "@factotum/agent-contract";
import { expect, test } from "vitest";
import { SendRates } from "./send-rates.ts";

/** A clock that jumps to the due time of each timer. */
function createLeapingClock(): Clock & { nowMs: number } {
  const clock = {
    nowMs: 0,
    now: () => clock.nowMs,
    monotonic: () => clock.nowMs,
    schedule: (delayMs: number, callback: () => void): Disposable => {
      let isOff = false;
      queueMicrotask(() => {
        if (isOff) return;
        clock.nowMs += delayMs;
        callback();
      });
      return { [Symbol.dispose]: () => void (isOff = true) };
    },
  };
  return clock;
}

const ONE = { channel: "test", accountId: "one" };
const RATE = { count: 2, perMs: 1_000 };
const options = { limitMs: 60_000, signal: new AbortController().signal };

test("no more sends than declared fall into any interval of an account", async () => {
  const clock = createLeapingClock();
  const rates = new SendRates(clock);
  const times: number[] = [];
  for (let count = 0; count < 6; count += 1) {
    expect(await rates.enter(ONE, RATE, options)).toBe(true);
    times.push(clock.nowMs);
  }
  expect(times).toEqual([0, 0, 1_000, 1_000, 2_000, 2_000]);
});

test("another account has a rate of its own, and one without a rate never waits", async () => {
  const clock = createLeapingClock();
  const rates = new SendRates(clock);
  for (const accountId of ["one", "two"])
    for (let count = 0; count < 2; count += 1) await rates.enter({ ...ONE, accountId }, RATE, options);
  for (let count = 0; count < 9; count += 1) await rates.enter(ONE, undefined, options);
  expect(clock.nowMs).toBe(0);
});

test("a wait ends at its limit without a send", async () => {
  const clock = createLeapingClock();
  const rates = new SendRates(clock);
  await rates.enter(ONE, { count: 1, perMs: 1_000 }, options);
  expect(await rates.enter(ONE, { count: 1, perMs: 1_000 }, { ...options, limitMs: 300 })).toBe(false);
  expect(clock.nowMs).toBe(300);
});

test("a send that may be left out never waits, and leaves the last one of an interval and all waiting messages their turn", async () => {
  const clock = createLeapingClock();
  const rates = new SendRates(clock);
  const rate = { count: 3, perMs: 1_000 };
  expect([1, 2, 3].map(() => rates.tryEnter(ONE, rate))).toEqual([true, true, false]);
  expect(await rates.enter(ONE, rate, options)).toBe(true);
  expect(clock.nowMs).toBe(0);
  const message = rates.enter(ONE, rate, options);
  clock.nowMs = 1_000;
  expect(rates.tryEnter(ONE, rate)).toBe(false);
  await message;
  expect(rates.tryEnter(ONE, rate)).toBe(true);
});

test("at a rate of one send, one that may be left out takes it if it is free", () => {
  const clock = createLeapingClock();
  const rates = new SendRates(clock);
  const rate = { count: 1, perMs: 1_000 };
  const both = (): boolean[] => [rates.tryEnter(ONE, rate), rates.tryEnter(ONE, rate)];
  expect(both()).toEqual([true, false]);
  clock.nowMs = 1_000;
  expect(both()).toEqual([true, false]);
  expect(rates.tryEnter(ONE, undefined)).toBe(true);
});
