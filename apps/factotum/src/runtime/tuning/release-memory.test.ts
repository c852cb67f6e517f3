import type { Clock } from "@factotum/agent-contract";
import { expect, test, vi } from "vitest";
import { collectGarbage, releaseMemoryAtRest } from "./release-memory.ts";

/** A process whose time and work the test controls. */
function createProcess(): { readonly clock: Clock; work(ms: number): void; pass(): void; cpuMs(): number; timers(): number } {
  let [nowMs, usedMs] = [0, 0];
  const timers = new Set<{ readonly atMs: number; readonly run: () => void }>();
  return {
    clock: {
      now: () => nowMs,
      monotonic: () => nowMs,
      schedule: (delayMs, run) => {
        const timer = { atMs: nowMs + delayMs, run };
        timers.add(timer);
        return { [Symbol.dispose]: () => void timers.delete(timer) };
      },
    },
    work: (ms) => void (usedMs += ms),
    cpuMs: () => usedMs,
    timers: () => timers.size,
    pass: () => {
      const [next] = [...timers].toSorted((a, b) => a.atMs - b.atMs);
      if (next === undefined) throw new Error("nothing is scheduled");
      timers.delete(next);
      nowMs = next.atMs;
      next.run();
    },
  };
}

test("memory is released once after the start, and again after work, when the process is idle", () => {
  const process = createProcess();
  const release = vi.fn(() => process.work(500));
  using _watch = releaseMemoryAtRest({ ...process, release });
  process.work(300);
  process.pass();
  expect(release).not.toHaveBeenCalled();
  process.pass();
  expect(release).toHaveBeenCalledTimes(1);
  // Neither its own work nor a small amount counts.
  for (let index = 0; index < 100; index += 1) {
    process.work(5);
    process.pass();
  }
  expect(release).toHaveBeenCalledTimes(1);
  process.work(300);
  process.pass();
  process.work(300);
  process.pass();
  expect(release).toHaveBeenCalledTimes(1);
  process.pass();
  expect(release).toHaveBeenCalledTimes(2);
});

test("consecutive short idle periods cause one release, in the last of them", () => {
  const process = createProcess();
  const release = vi.fn();
  using _watch = releaseMemoryAtRest({ ...process, release });
  for (let seconds = 0; seconds < 12; seconds += 4) {
    process.work(300);
    process.pass();
    process.pass();
  }
  expect(release).toHaveBeenCalledTimes(1);
  for (let index = 0; index < 10; index += 1) process.pass();
  expect(release).toHaveBeenCalledTimes(2);
});

test("nothing is checked after it is disposed", () => {
  const process = createProcess();
  releaseMemoryAtRest({ ...process, release: () => undefined })[Symbol.dispose]();
  expect(process.timers()).toBe(0);
});

test("a collection frees unreachable objects", async () => {
  const held = new WeakRef({ large: "x".repeat(1000) });
  // A reference lives until the end of the job that created it.
  await new Promise((resolve) => setImmediate(resolve));
  collectGarbage();
  expect(held.deref()).toBeUndefined();
});
