import { describe, expect, test } from "vitest";
import { asks, IMAGE, says, toolResult, turn } from "../../test/histories.ts";
import { assistant, call, user } from "../../test/scripted-model.ts";
import { estimateContextTokens, estimateHistoryTokens, estimateMessageTokens, estimateTokens, IMAGE_TOKENS } from "./estimate-tokens.ts";

test.each([
  ["", 0],
  ["abc", 1],
  ["abcde", 2],
  ["汉字", 2],
  ["a汉", 2],
  ["😀", 2],
])("%j is about %i tokens", (text, tokens) => {
  expect(estimateTokens(text)).toBe(tokens);
});

test("a message counts its images and the arguments of its calls", () => {
  expect(estimateMessageTokens({ ...user("x"), content: [IMAGE] }) - estimateMessageTokens({ ...user("x"), content: [] })).toBe(
    IMAGE_TOKENS,
  );
  const long = assistant("", [call("a", "ls", { path: "x".repeat(4_000) })]);
  expect(estimateMessageTokens(long)).toBeGreaterThan(1_000);
});

describe("estimateContextTokens", () => {
  const usage = { input: 100, output: 50, cacheRead: 800, cacheWrite: 50, total: 1_000 };
  const answered = [turn("hi"), { ...asks("a"), usage }, toolResult("a", "x".repeat(400)), turn("more")];

  test("trusts the provider's figure and guesses only what came after", () => {
    const rest = estimateHistoryTokens(answered.slice(2));
    expect(estimateContextTokens(answered, { overheadTokens: 9_999 })).toBe(1_000 + rest);
  });

  test("guesses everything when no figure holds", () => {
    const guess = 500 + estimateHistoryTokens(answered);
    expect(estimateContextTokens(answered, { overheadTokens: 500, usageFrom: 2 })).toBe(guess);
    const none = [turn("hi"), { ...says("x"), usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 } }];
    expect(estimateContextTokens(none, { overheadTokens: 7 })).toBe(7 + estimateHistoryTokens(none));
  });
});
