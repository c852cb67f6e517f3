import { expect, test } from "vitest";
import { createKeyedQueue } from "./index.ts";

test("runs one key in order and two keys in parallel, and continues after a failure", async () => {
  const queue = createKeyedQueue();
  const gate = Promise.withResolvers<void>();
  const seen: string[] = [];
  const first = queue.run("a", async () => {
    await gate.promise;
    seen.push("a1");
    throw new Error("no");
  });
  const second = queue.run("a", async () => {
    seen.push("a2");
  });
  await queue.run("b", async () => {
    seen.push("b1");
  });
  expect(seen).toEqual(["b1"]);
  gate.resolve();
  await expect(first).rejects.toThrow("no");
  await second;
  expect(seen).toEqual(["b1", "a1", "a2"]);
});

test("idle waits for the last task, even one that was added while waiting", async () => {
  const queue = createKeyedQueue();
  const seen: string[] = [];
  void queue.run("a", async () => {
    void queue.run("b", async () => {
      await Promise.resolve();
      seen.push("b");
    });
    seen.push("a");
  });
  await queue.idle();
  expect(seen).toEqual(["a", "b"]);
});
