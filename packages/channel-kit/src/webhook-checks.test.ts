import { describe, expect, test } from "vitest";
import { constantTimeEqual, verifyTimestamp } from "./index.ts";

describe("constantTimeEqual", () => {
  test.each([
    ["abc", "abc", true],
    ["abc", "abd", false],
    ["abc", "abcd", false],
    ["", "", true],
    ["", "a", false],
  ])("%j and %j: %s", (left, right, equal) => {
    expect(constantTimeEqual(left, right)).toBe(equal);
    expect(constantTimeEqual(Buffer.from(left), right)).toBe(equal);
  });
});

describe("verifyTimestamp", () => {
  const nowMs = 1_700_000_000_000;
  test.each([
    ["1700000000", true],
    ["1699999700", true],
    ["1699999699", false],
    ["1700000300", true],
    ["1700000301", false],
    ["1699913600", false],
    ["", false],
    ["1700000000.0", false],
    ["-1700000000", false],
    [" 1700000000", false],
    ["1700000000abc", false],
    ["0x6553f100", false],
    [null, false],
  ])("%j: %s", (seconds, fresh) => {
    expect(verifyTimestamp(seconds, { nowMs })).toBe(fresh);
  });

  test("the tolerance is configurable", () => {
    expect(verifyTimestamp("1700000010", { nowMs, toleranceMs: 9_000 })).toBe(false);
    expect(verifyTimestamp("1700000010", { nowMs, toleranceMs: 10_000 })).toBe(true);
  });
});
