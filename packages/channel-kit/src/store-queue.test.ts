import { ManualClock } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { createTestHost } from "../test/test-host.ts";
import { createStoreQueue } from "./index.ts";

const settle = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

test("each one gets the number of its own failed attempts, and waits as briefly after its first failure as the one before", async () => {
  const clock = new ManualClock(0);
  const queue = createStoreQueue({ ...createTestHost(), clock }, { noun: "event", maxWaiting: 10 });
  const attempts: string[] = [];
  const delays: number[] = [];
  const failing = (name: string, failures: number) => (attempt: number) => {
    attempts.push(`${name}${attempt}`);
    return attempt < failures ? Promise.reject(new Error("the disk is full")) : Promise.resolve();
  };
  const stored = ["a", "b"].map((name) => queue.add(failing(name, 2)));
  for (let turn = 0; turn < 4; turn += 1) {
    await settle();
    const [delayMs = 0] = clock.pending;
    delays.push(delayMs);
    clock.advance(delayMs);
  }
  await Promise.all(stored);
  expect(attempts).toEqual(["a0", "a1", "a2", "b0", "b1", "b2"]);
  expect(delays.slice(2)).toEqual(delays.slice(0, 2));
  expect(queue.waiting).toBe(0);
});
