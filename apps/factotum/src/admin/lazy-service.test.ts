import { expect, test } from "vitest";
import { lazyService } from "./lazy-service.ts";

class Counter {
  #count = 0;

  async add(by: number): Promise<number> {
    return (this.#count += by);
  }

  async fail(): Promise<never> {
    return Promise.reject(new Error("it is closed"));
  }
}

test("is loaded once, at the first call, and keeps its state", async () => {
  let loads = 0;
  const service = lazyService(async () => {
    loads += 1;
    return new Counter();
  });
  expect(loads).toBe(0);
  expect(await Promise.all([service.add(2), service.add(3)])).toEqual([2, 5]);
  await expect(service.fail()).rejects.toThrow("it is closed");
  expect(loads).toBe(1);
});
