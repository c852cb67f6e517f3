import fc from "fast-check";
import { expect, test } from "vitest";
import { emojiType } from "./emoji.ts";
import { idempotencyUuid } from "./idempotency-uuid.ts";

test("a key of up to 50 characters is the uuid", () => {
  expect(idempotencyUuid("k".repeat(50))).toBe("k".repeat(50));
});

test("every uuid fits, and the same key always gives the same uuid", () => {
  fc.assert(
    fc.property(fc.string({ maxLength: 200 }), (key) => {
      expect(idempotencyUuid(key).length).toBeLessThanOrEqual(50);
      expect(idempotencyUuid(key)).toBe(idempotencyUuid(key));
    }),
  );
});

test("long keys that differ at their end are different", () => {
  expect(idempotencyUuid(`${"k".repeat(60)}1`)).not.toBe(idempotencyUuid(`${"k".repeat(60)}2`));
});

test.each([
  ["👍", "THUMBSUP"],
  ["❤️", "HEART"],
  ["❤", "HEART"],
  ["JIAYI", "JIAYI"],
  ["🦄", undefined],
  ["", undefined],
])("the reaction %j is %j", (emoji, type) => {
  expect(emojiType(emoji)).toBe(type);
});
