import { describe, expect, test } from "vitest";
import { checkRatios, checkSizes, checkTargets } from "./check-figures.ts";
import { comparePairs } from "./compare.ts";
import { listFigures, type Measurements } from "./figures.ts";

/** A run in which every figure equals the recorded one: twice the floor, and on its target. */
const good: Measurements = Object.fromEntries(listFigures().map(([id, { target }]) => [id, { value: target ?? 1, floor: 1, ratio: 2 }]));

describe("sizes", () => {
  test("pass on their limits", () => {
    expect(checkSizes(good)).toEqual([]);
  });

  test("one byte over the limit fails, and the message names both sizes", () => {
    expect(checkSizes({ ...good, hello: { value: 20_001 } })).toEqual(["hello request: 20,001 bytes is more than 20,000 bytes."]);
  });

  test.each(["idleMemory", "usedMemory", "hello", "channelsExcess", "installSize", "installPackages", "installFiles"] as const)(
    "a missing %s fails",
    (id) => {
      const { [id]: _left, ...rest } = good;
      expect(checkSizes(rest)).toHaveLength(1);
    },
  );

  test("a time over its target does not count: it depends on the machine", () => {
    expect(checkSizes({ ...good, turnP50: { value: 500, ratio: 2 } })).toEqual([]);
  });
});

describe("targets", () => {
  test("of what was measured are held, and what was not is left out", () => {
    expect(checkTargets({ webFrame: { value: 33 }, webCode: { value: 12 } })).toEqual([]);
    expect(checkTargets({ webFrame: { value: 34 } })).toEqual([expect.stringContaining("34.00 ms is more than 33.00 ms.")]);
    expect(checkTargets({ webFrame: { value: Number.NaN } })).toHaveLength(1);
  });
});

describe("ratios", () => {
  test("one and a half times the recorded one passes, more fails", () => {
    expect(checkRatios({ ...good, turnP50: { value: 1, ratio: 3 } }, good)).toEqual([]);
    const [problem, ...others] = checkRatios({ ...good, turnP50: { value: 1, ratio: 3.1 } }, good);
    expect(problem).toContain("3.10 × the floor, recorded are 2.00 ×");
    expect(others).toEqual([]);
  });

  test("an absolute time never fails", () => {
    expect(checkRatios({ ...good, turnP50: { value: 10_000, ratio: 2 } }, good)).toEqual([]);
  });

  test("a missing figure, an invalid ratio and a missing record fail", () => {
    const { start: _left, ...rest } = good;
    expect(checkRatios(rest, good)).toHaveLength(1);
    expect(checkRatios({ ...good, start: { value: 1, ratio: Number.NaN } }, good)).toHaveLength(1);
    expect(checkRatios(good, rest)).toHaveLength(1);
  });
});

describe("pairs", () => {
  test("a disturbance of both sides of a round leaves the ratio", () => {
    const pairs = [
      { product: 4, floor: 2 },
      { product: 40, floor: 20 },
      { product: 6, floor: 3 },
    ];
    expect(comparePairs("turnP50", pairs)).toEqual({ value: 6, floor: 3, ratio: 2 });
  });

  test("for a rate the ratio says how many times lower the product's is", () => {
    expect(comparePairs("rate16", [{ product: 100, floor: 400 }])).toEqual({ value: 100, floor: 400, ratio: 4 });
  });
});
