import { expect, test } from "vitest";
import { lateDesk } from "./late-desk.ts";

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
  const desk = lateDesk(async () => {
    loads += 1;
    return new Counter();
  });
  expect(loads).toBe(0);
  expect(await Promise.all([desk.add(2), desk.add(3)])).toEqual([2, 5]);
  await expect(desk.fail()).rejects.toThrow("it is closed");
  expect(loads).toBe(1);
});
