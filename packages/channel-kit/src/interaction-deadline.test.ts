import { ManualClock } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { meetDeadline } from "./index.ts";

const options = (clock: ManualClock, late: unknown[]) => ({
  clock,
  deadlineMs: 2_500,
  onLateFailure: (error: unknown) => void late.push(error),
});

test("an interaction is acknowledged as soon as it is stored", async () => {
  const clock = new ManualClock(0);
  expect(await meetDeadline(Promise.resolve("id"), options(clock, []))).toEqual({ type: "stored", result: "id" });
  expect(clock.pending).toEqual([]);
});

test("at the deadline it is acknowledged before it is stored, once", async () => {
  const clock = new ManualClock(0);
  const stored = Promise.withResolvers<string>();
  const late: unknown[] = [];
  let count = 0;
  const acknowledged = meetDeadline(stored.promise, options(clock, late)).then((acknowledgement) => {
    count += 1;
    return acknowledgement;
  });
  clock.advance(2_499);
  await new Promise((resolve) => setImmediate(resolve));
  expect(count).toBe(0);
  clock.advance(1);
  expect(await acknowledged).toEqual({ type: "due" });
  stored.resolve("id");
  await new Promise((resolve) => setImmediate(resolve));
  expect([count, late]).toEqual([1, []]);
});

test("a failure before the deadline acknowledges nothing; one after it needs a follow-up", async () => {
  const clock = new ManualClock(0);
  const late: unknown[] = [];
  const failure = new Error("disk full");
  await expect(meetDeadline(Promise.reject(failure), options(clock, late))).rejects.toBe(failure);
  const stored = Promise.withResolvers<string>();
  const acknowledged = meetDeadline(stored.promise, options(clock, late));
  clock.advance(2_500);
  await acknowledged;
  expect(late).toEqual([]);
  stored.reject(failure);
  await new Promise((resolve) => setImmediate(resolve));
  expect(late).toEqual([failure]);
});
