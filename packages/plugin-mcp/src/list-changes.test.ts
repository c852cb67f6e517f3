import { expect, test, vi } from "vitest";
import { ListChanges } from "./list-changes.ts";

test("a list that changes all the time is read less and less often, until it has been quiet for a minute", async () => {
  const waits: { readonly delayMs: number; readonly callback: () => void }[] = [];
  let nowMs = 0;
  let reads = 0;
  const clock = {
    now: () => nowMs,
    monotonic: () => nowMs,
    schedule: (delayMs: number, callback: () => void) => {
      waits.push({ delayMs, callback });
      return { [Symbol.dispose]: () => undefined };
    },
  };
  using changes = new ListChanges(clock, async () => void (reads += 1));
  const change = async (): Promise<number> => {
    const count = waits.length;
    // The end of the read before is a microtask away.
    await vi.waitFor(() => {
      changes.report("place");
      expect(waits.length).toBe(count + 1);
    });
    const { delayMs, callback } = waits[count] ?? { delayMs: 0, callback: () => undefined };
    nowMs += delayMs;
    callback();
    return delayMs;
  };
  const delays: number[] = [];
  for (let round = 0; round < 8; round += 1) delays.push(await change());
  expect(delays).toEqual([1_000, 2_000, 4_000, 8_000, 16_000, 32_000, 60_000, 60_000]);
  nowMs += 60_001;
  expect(await change()).toBe(1_000);
  expect(reads).toBe(9);
});
