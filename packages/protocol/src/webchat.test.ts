import { expect, test } from "vitest";
import { retriedKey, retryKey } from "./webchat.ts";

test("the keys of all attempts at a message name the first one", () => {
  const second = retryKey("k-1", "a");
  const third = retryKey(second, "b");
  expect(new Set(["k-1", second, third]).size).toBe(3);
  expect([second, third].map(retriedKey)).toEqual(["k-1", "k-1"]);
  expect(retriedKey("k-1")).toBeUndefined();
});

test("a key that would be too long for the gateway is one of a new message", () => {
  expect(retryKey("k".repeat(200), "a")).toBe("a");
});
