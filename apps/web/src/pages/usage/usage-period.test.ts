import { expect, test } from "vitest";
import { daysOf, dayOf, periodOf, startOf } from "./usage-period.ts";
import { parseUsageSearch } from "./usage-search.ts";

const NOW = new Date(2026, 10, 29, 15, 30).getTime();

test("an address without a period means the last 30 days until tonight, by day", () => {
  const period = periodOf({}, NOW);
  expect(period).toEqual({
    from: "2026-10-31",
    to: "2026-11-29",
    fromMs: new Date(2026, 9, 31).getTime(),
    toMs: new Date(2026, 10, 30).getTime(),
    by: "day",
  });
  expect(daysOf(period)).toHaveLength(30);
});

test.each([
  [{ from: "2026-02-27", to: "2026-03-01", by: "model" }, "2026-02-27", "2026-03-01", "model"],
  [{ from: "2026-02-30", to: "tomorrow", by: "colour" }, "2026-10-31", "2026-11-29", "day"],
  [{ from: 20_260_227, to: ["2026-03-01"], by: { day: 1 } }, "2026-10-31", "2026-11-29", "day"],
  [{ to: "2026-03-01" }, "2026-01-31", "2026-03-01", "day"],
])("%j is from %s to %s by %s", (search, from, to, by) => {
  expect(periodOf(parseUsageSearch(search), NOW)).toMatchObject({ from, to, by });
});

test("days are listed over the ends of months, none of a period that ends before it begins or is very long", () => {
  expect(daysOf({ from: "2026-02-27", to: "2026-03-02" })).toEqual(["2026-02-27", "2026-02-28", "2026-03-01", "2026-03-02"]);
  expect(daysOf({ from: "2026-03-02", to: "2026-02-27" })).toEqual([]);
  expect(daysOf({ from: "2020-01-01", to: "2026-02-27" })).toEqual([]);
  expect(dayOf(startOf("2026-03-29"))).toBe("2026-03-29");
});
