import { expect, test } from "vitest";
import { Refusals } from "./refusals.ts";

test("a refused request is found by its reason, regardless of later requests of the browser, and only since a given moment", () => {
  const refusals = new Refusals();
  const page = { reason: "10.9.8.7 is not on the open internet", isPrivate: true } as Parameters<Refusals["add"]>[0];
  const own = { reason: "update.example is not among the allowed hosts" } as Parameters<Refusals["add"]>[0];
  refusals.add(page);
  refusals.add(own);
  expect(refusals.since(1)).toBe(own);
  expect(refusals.findSince(0, page.reason)).toBe(page);
  expect(refusals.findSince(1, page.reason)).toBeUndefined();
  expect(refusals.findSince(2, own.reason)).toBeUndefined();
  for (let count = 0; count < 100; count += 1) refusals.add(own);
  expect(refusals.findSince(0, page.reason)).toBeUndefined();
  expect(refusals.findSince(0, own.reason)).toBe(own);
});
