import { expect, test } from "vitest";
import { isolate } from "./isolate.ts";

test("a name cannot turn the sentence around it", () => {
  expect(isolate("מזג")).toBe("\u{2068}מזג\u{2069}");
  expect(isolate("a\u{202e}b\u{2069}c")).toBe("\u{2068}abc\u{2069}");
});
