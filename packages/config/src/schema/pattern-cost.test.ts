import { expect, test } from "vitest";
import { patternCost } from "./pattern-cost.ts";

test.each([
  ["facto", "low"],
  ["\\bfacto\\b", "low"],
  ["^(hey|hi) (facto|bot)", "low"],
  ["facto[ -]*tum", "low"],
  ["\\(a+\\)", "low"],
  ["[(+*|)]{2}", "low"],
  ["^(?:hey|hi)\\s+(?<name>facto)\\s*", "high"],
  [".*.*.*x", "high"],
  ["a?a?a?aaa", "high"],
  ["(a|b)(a|b)(a|b)", "high"],
  ["(a+)+$", "unbounded"],
  ["(a*)*", "unbounded"],
  ["(?:a|aa)+$", "unbounded"],
  ["(?:a?){30}", "unbounded"],
  ["((a+)b)*", "unbounded"],
  ["([ab]+){2,}", "unbounded"],
  ["(a)\\1", "unbounded"],
  ["(?<x>a)\\k<x>", "unbounded"],
] as const)("%s is %s", (source, cost) => {
  expect(new RegExp(source, "iu")).toBeInstanceOf(RegExp);
  expect(patternCost(source)).toBe(cost);
});
