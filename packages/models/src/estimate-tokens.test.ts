import { expect, test } from "vitest";
import { estimateTokens } from "./estimate-tokens.ts";

test.each([
  ["", 0],
  ["abc", 1],
  ["abcde", 2],
  ["汉字", 2],
  ["a汉", 2],
  ["abcde汉", 3],
  ["\u007f", 1],
  ["\u0080", 1],
  ["😀", 1],
  ["a😀😀", 3],
])("%j is about %i tokens", (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});
