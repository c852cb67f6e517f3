import { describe, expect, test } from "vitest";
import { createUsage } from "./usage.ts";

const COST = {
  input: 3,
  output: 15,
  cacheRead: 0.3,
  cacheWrite: 3.75,
  cacheWriteLong: 6,
  longContext: { aboveTokens: 1_000, input: 6, output: 22.5 },
};

describe("the cost of a call", () => {
  test("cached tokens have their own prices, and a prefix kept for an hour costs more to write", () => {
    const counts = { input: 100, output: 10, cacheRead: 500, cacheWrite: 400 };
    expect(createUsage(counts, { cost: COST, retention: "short" }).costUsd).toBeCloseTo((300 + 150 + 150 + 1_500) / 1e6, 12);
    expect(createUsage(counts, { cost: COST, retention: "long" }).costUsd).toBeCloseTo((300 + 150 + 150 + 2_400) / 1e6, 12);
  });

  test("a prompt over the tier's threshold, cached tokens included, costs more as a whole; prices missing in the tier equal its input price", () => {
    const counts = { input: 100, output: 10, cacheRead: 501, cacheWrite: 400 };
    expect(createUsage(counts, { cost: COST, retention: "short" }).costUsd).toBeCloseTo(((100 + 501 + 400) * 6 + 225) / 1e6, 12);
  });

  test("without a price there is no cost", () => {
    expect(createUsage({ input: 1, output: 1, cacheRead: 1, cacheWrite: 1 }, { cost: undefined, retention: "short" })).toEqual({
      input: 1,
      output: 1,
      cacheRead: 1,
      cacheWrite: 1,
      total: 4,
    });
  });
});
