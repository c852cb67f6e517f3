import { expect, test } from "vitest";
import { moment } from "./options.ts";

test("a time is an age, a local date, or a date with a time", () => {
  expect(moment("2026-01-30")).toBe(new Date(2026, 0, 30).getTime());
  expect(moment("2026-01-30T18:00")).toBe(new Date(2026, 0, 30, 18).getTime());
  expect(moment("2026-01-30T18:00Z")).toBe(Date.UTC(2026, 0, 30, 18));
  const before = Date.now() - 2 * 3_600_000;
  expect(moment("2h")).toBeGreaterThanOrEqual(before);
  expect(moment("2h")).toBeLessThanOrEqual(Date.now() - 2 * 3_600_000);
  for (const wrong of ["yesterday", "2026-13-01", "30.01.2026", "2 hours"]) expect(() => moment(wrong)).toThrow(/A time is written/);
});
