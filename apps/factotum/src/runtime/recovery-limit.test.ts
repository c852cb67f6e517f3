import { expect, test } from "vitest";
import { RecoveryLimit } from "./recovery-limit.ts";

const MINUTE_MS = 60_000;

test("refuses a fourth recovery within an hour, but not a later one", () => {
  let now = 5;
  const limit = new RecoveryLimit({ monotonic: () => now });
  const after = (minutes: number): boolean => {
    now += minutes * MINUTE_MS;
    return limit.take();
  };
  expect([after(0), after(10), after(40)]).toEqual([true, true, true]);
  expect(after(9)).toBe(false);
  // The first one is over an hour ago, the two others are not.
  expect([after(1), after(0)]).toEqual([true, false]);
});

test("recoveries an hour apart never end the process", () => {
  let now = 0;
  const limit = new RecoveryLimit({ monotonic: () => (now += 60 * MINUTE_MS) });
  expect(Array.from({ length: 10 }, () => limit.take())).not.toContain(false);
});
