import fc from "fast-check";
import { expect, test } from "vitest";
import { backoffDelay } from "./index.ts";

const random = (value: number): { float: () => number } => ({ float: () => value });

test("the bound doubles up to the maximum delay", () => {
  const almostOne = 1 - Number.EPSILON;
  const delays = [0, 1, 2, 3, 4].map((attempt) => backoffDelay(attempt, { baseMs: 100, maxMs: 1_000, random: random(almostOne) }));
  expect(delays).toEqual([99, 199, 399, 799, 999]);
});

test("the full range is jitter", () => {
  expect(backoffDelay(5, { random: random(0) })).toBe(0);
  expect(backoffDelay(5, { baseMs: 1_000, random: random(0.5) })).toBe(16_000);
});

test("any attempt gives an integer within the bounds", () => {
  fc.assert(
    fc.property(fc.integer({ min: 0, max: 100_000 }), fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }), (attempt, value) => {
      const delayMs = backoffDelay(attempt, { random: random(value) });
      expect(Number.isSafeInteger(delayMs) && delayMs >= 0 && delayMs <= 300_000).toBe(true);
    }),
  );
});
