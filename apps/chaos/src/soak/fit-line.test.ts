import fc from "fast-check";
import { expect, test } from "vitest";
import { fitLine } from "./fit-line.ts";

const points = (...ys: number[]) => ys.map((y, x) => ({ x, y }));

test("points on a line give the line, without uncertainty", () => {
  const line = fitLine(points(5, 7, 9, 11));
  expect(line.slope).toBeCloseTo(2, 12);
  expect(line.intercept).toBeCloseTo(5, 12);
  expect(line.slopeUpper95).toBeCloseTo(2, 12);
});

/** Calculated by hand: sums of squares 10 and 6, slope 0.6, error sqrt(2.4 / 3 / 10), and the table's 3.182 for three degrees. */
test("the interval is the textbook's", () => {
  const line = fitLine(points(2, 4, 5, 4, 5));
  expect(line.slope).toBeCloseTo(0.6, 12);
  expect(line.slopeUpper95).toBeCloseTo(0.6 + 3.182 * Math.sqrt(0.08), 2);
  expect(line.slopeLower95).toBeCloseTo(0.6 - 3.182 * Math.sqrt(0.08), 2);
});

test.each([
  [1, 12.706],
  [2, 4.303],
  [3, 3.182],
  [4, 2.776],
  [5, 2.571],
  [10, 2.228],
  [30, 2.042],
  [120, 1.98],
])("with %i degrees of freedom the interval reaches %f errors far", (degrees, quantile) => {
  const count = degrees + 2;
  const xs = Array.from({ length: count }, (_, x) => x);
  const fitted = fitLine(xs.map((x) => ({ x, y: x % 2 })));
  const meanX = (count - 1) / 2;
  const spreadX = xs.reduce((sum, x) => sum + (x - meanX) ** 2, 0);
  const leftOver = xs.reduce((sum, x) => sum + ((x % 2) - fitted.intercept - fitted.slope * x) ** 2, 0);
  const error = Math.sqrt(leftOver / degrees / spreadX);
  expect((fitted.slopeUpper95 - fitted.slope) / error).toBeCloseTo(quantile, 1);
});

test("for any points the slope is within its interval, and an added leak is found", () => {
  const values = fc.array(fc.double({ min: -1000, max: 1000, noNaN: true }), { minLength: 3, maxLength: 50 });
  fc.assert(
    fc.property(values, fc.double({ min: -50, max: 50, noNaN: true }), (ys, leak) => {
      const before = fitLine(points(...ys));
      expect(before.slopeLower95).toBeLessThanOrEqual(before.slope);
      expect(before.slopeUpper95).toBeGreaterThanOrEqual(before.slope);
      const after = fitLine(ys.map((y, x) => ({ x, y: y + leak * x })));
      expect(after.slope - before.slope).toBeCloseTo(leak, 6);
      expect(after.slopeUpper95 - before.slopeUpper95).toBeCloseTo(leak, 5);
    }),
  );
});

test("the interval holds the true slope in about 95 of 100 cases of noise", () => {
  let state = 1;
  const uniform = (): number => (state = (state * 48_271) % 2_147_483_647) / 2_147_483_647;
  const noise = (): number => Array.from({ length: 12 }, uniform).reduce((sum, value) => sum + value, -6);
  let held = 0;
  for (let run = 0; run < 2_000; run += 1) {
    const line = fitLine(Array.from({ length: 40 }, (_, x) => ({ x, y: 0.5 * x + 3 * noise() })));
    if (line.slopeLower95 <= 0.5 && line.slopeUpper95 >= 0.5) held += 1;
  }
  expect(held / 2_000).toBeGreaterThan(0.935);
  expect(held / 2_000).toBeLessThan(0.965);
});

test("refuses too few points, or points with one x", () => {
  expect(() => fitLine(points(1, 2))).toThrow("three points");
  expect(() => fitLine([1, 2, 3].map((y) => ({ x: 4, y })))).toThrow("same x");
});
