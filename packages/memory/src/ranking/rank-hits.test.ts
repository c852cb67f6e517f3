import { expect, test } from "vitest";
import { ageWeight, rankHits } from "./rank-hits.ts";

const DAY = 24 * 60 * 60_000;
const options = { tokens: ["boiler", "serviced"], nowMs: 1000 * DAY, maxResults: 3, minScore: 0 };

test("what is dated loses half of three tenths in 30 days, and what is undated nothing", () => {
  expect(ageWeight(undefined, 1000 * DAY)).toBe(1);
  expect(ageWeight(1000 * DAY, 1000 * DAY)).toBe(1);
  expect(ageWeight(970 * DAY, 1000 * DAY)).toBeCloseTo(0.85);
  expect(ageWeight(0, 1000 * DAY)).toBeCloseTo(0.7);
  expect(ageWeight(1001 * DAY, 1000 * DAY)).toBe(1);
});

test("of equal passages the newer one comes first", () => {
  const [first] = rankHits(
    [
      { text: "boiler serviced in spring", bm25: -2, datedMs: 900 * DAY },
      { text: "boiler serviced in autumn", bm25: -2, datedMs: 999 * DAY },
    ],
    options,
  );
  expect(first?.text).toContain("autumn");
});

test("a repetition comes after something else that is relevant", () => {
  const ranked = rankHits(
    [
      { text: "boiler serviced on May 3 by Karl", bm25: -3 },
      { text: "boiler serviced on May 3 by Karl.", bm25: -2.9 },
      { text: "the boiler leaks when the tap is open", bm25: -2.5 },
    ],
    options,
  );
  expect(ranked.map(({ bm25 }) => bm25)).toEqual([-3, -2.5, -2.9]);
});

test("weaker hits than minScore are left out", () => {
  expect(
    rankHits(
      [
        { text: "boiler serviced", bm25: -3 },
        { text: "boiler", bm25: -1 },
      ],
      { ...options, minScore: 0.5 },
    ),
  ).toHaveLength(1);
});
