import { expect, test } from "vitest";
import { ageWeight } from "./age-weight.ts";
import { rankHits } from "./rank-hits.ts";

const DAY = 24 * 60 * 60_000;
const weights = new Map([
  ["boiler", 1],
  ["serviced", 1],
]);
const options = { weights, nowMs: 1000 * DAY, maxResults: 3, minScore: 0 };

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
      { text: "boiler serviced in spring", datedMs: 900 * DAY },
      { text: "boiler serviced in autumn", datedMs: 999 * DAY },
    ],
    options,
  );
  expect(first?.text).toContain("autumn");
});

test("what was noted later comes first, also where both are old, unless the earlier note says clearly more", () => {
  const first = (older: string, newer: string): string | undefined =>
    rankHits(
      [
        { text: older, datedMs: 100 * DAY },
        { text: newer, datedMs: 200 * DAY },
      ],
      options,
    )[0]?.text;
  expect(first("- boiler serviced by Karl", "- boiler serviced by Rosa")).toContain("Rosa");
  expect(first("- boiler serviced by Karl", "- boiler sold")).toContain("Karl");
});

test("words in one statement count more than the same words scattered", () => {
  const [first] = rankHits(
    [
      { text: "- the boiler leaks\n- Karl was here\n- the bicycle was serviced" },
      { text: "- the garden is dry\n- the boiler was serviced\n- Karl was here" },
    ],
    options,
  );
  expect(first?.text).toContain("the boiler was serviced");
});

test("a rare word counts more than a frequent one", () => {
  const [first] = rankHits([{ text: "the tap and the boiler and the sink" }, { text: "Torvald" }], {
    ...options,
    weights: new Map([
      ["boiler", 0.1],
      ["sink", 0.1],
      ["torvald", 5],
    ]),
  });
  expect(first?.text).toBe("Torvald");
});

test("a repetition comes after something else that is relevant", () => {
  const ranked = rankHits(
    [
      { text: "boiler serviced on May 3 by Karl" },
      { text: "boiler serviced on May 3 by Karl." },
      { text: "the tap leaks since the boiler was serviced" },
    ],
    options,
  );
  expect(ranked.map(({ text }) => text.slice(-4))).toEqual(["Karl", "iced", "arl."]);
});

test("weaker hits than minScore are left out", () => {
  expect(rankHits([{ text: "boiler serviced" }, { text: "boiler" }], { ...options, minScore: 0.6 })).toHaveLength(1);
});

test("age changes the order, and not the score", () => {
  const ranked = rankHits(
    [
      { text: "boiler serviced", datedMs: 100 * DAY },
      { text: "the boiler, and what was serviced", datedMs: 999 * DAY },
    ],
    options,
  );
  expect(ranked.map(({ score }) => score)).toEqual([1, 1]);
  expect(ranked[0]?.datedMs).toBe(999 * DAY);
});
