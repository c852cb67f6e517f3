import { getEventListeners } from "node:events";
import { expect, test } from "vitest";
import { raceAbort } from "./index.ts";

test("settles like the work and leaves no listener", async () => {
  const { signal } = new AbortController();
  expect(await raceAbort(Promise.resolve(1), { signal })).toBe(1);
  await expect(raceAbort(Promise.reject(new Error("no")), { signal })).rejects.toThrow("no");
  expect(getEventListeners(signal, "abort")).toEqual([]);
});

test("rejects with the signal's reason and discards the late result", async () => {
  const controller = new AbortController();
  const work = Promise.withResolvers<number>();
  const waiting = raceAbort(work.promise, { signal: controller.signal });
  const other = raceAbort(work.promise, { signal: new AbortController().signal });
  controller.abort(new Error("enough"));
  await expect(waiting).rejects.toThrow("enough");
  work.resolve(2);
  expect(await other).toBe(2);
  await expect(raceAbort(Promise.resolve(3), { signal: controller.signal })).rejects.toThrow("enough");
});
