import fc from "fast-check";
import { expect, test } from "vitest";
import { median, percentile } from "./percentile.ts";

test.each([
  [0.5, 3],
  [0.9, 5],
  [0.99, 5],
  [0.2, 1],
  [0, 1],
])("the percentile at %d of five samples is the nearest rank's", (share, expected) => {
  expect(percentile([5, 1, 4, 2, 3], share)).toBe(expected);
});

test("at least the share of the samples is not above its percentile, and it is one of them", () => {
  const samples = fc.array(fc.integer({ min: -1000, max: 1000 }), { minLength: 1, maxLength: 50 });
  fc.assert(
    fc.property(samples, fc.double({ min: 0, max: 1, noNaN: true }), (values, share) => {
      const found = percentile(values, share);
      expect(values).toContain(found);
      expect(values.filter((value) => value <= found).length).toBeGreaterThanOrEqual(share * values.length);
    }),
  );
});

test("the median of an even number is the mean of the two in the middle", () => {
  expect(median([4, 1, 3, 2])).toBe(2.5);
  expect(median([3, 1, 2])).toBe(2);
  expect(median([])).toBeNaN();
});
