import { expect, test } from "vitest";
import { publicPathOf, withoutPublicPath } from "./public-path.ts";

test.each([
  ["https://example.com/bot", "/bot/v1/models?x=1", "/v1/models?x=1"],
  ["https://example.com/bot", "/bot/", "/"],
  ["https://example.com/bot", "/bot", "/bot"],
  ["https://example.com/bot", "/v1/models", "/v1/models"],
  ["https://example.com/bot", "/bottom/v1", "/bottom/v1"],
  ["https://example.com/a/b", "/a/b/a/b/ws", "/a/b/ws"],
  ["https://example.com", "/bot/", "/bot/"],
  [undefined, "/bot/", "/bot/"],
])("behind %s the target %s is %s", (publicUrl, target, expected) => {
  expect(withoutPublicPath(target, publicPathOf(publicUrl))).toBe(expected);
});
