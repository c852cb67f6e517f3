import { expect, test } from "vitest";
import { DeltaQueue } from "./delta-queue.ts";

test("returns output by call, once", async () => {
  const queue = new DeltaQueue();
  queue.push("a", "1");
  queue.push("b", "2");
  queue.push("a", "3");
  await queue.waiting;
  expect(queue.drain()).toEqual([
    { callId: "a", text: "13" },
    { callId: "b", text: "2" },
  ]);
  expect(queue.drain()).toEqual([]);
});

test("keeps at most 65,536 characters per call, the newest", () => {
  const queue = new DeltaQueue();
  queue.push("a", "old");
  for (let count = 0; count < 70; count++) queue.push("a", "x".repeat(1_000));
  queue.push("a", "new");
  const [delta] = queue.drain();
  expect(delta?.text).toHaveLength(65_536);
  expect(delta?.text.endsWith("xnew")).toBe(true);
});
