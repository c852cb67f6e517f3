import { expect, test } from "vitest";
import { createTimeFormat } from "./time-format.ts";

const NEW_YEARS_EVE_MS = Date.UTC(2026, 11, 31, 23, 30, 5);

test.each([
  ["UTC", "2026-12-31", "2026-12-31 23:30:05"],
  ["Asia/Tokyo", "2027-01-01", "2027-01-01 08:30:05"],
  ["America/Los_Angeles", "2026-12-31", "2026-12-31 15:30:05"],
])("formats day and second in %s", (timeZone, day, second) => {
  const time = createTimeFormat(timeZone);
  expect(time.day(NEW_YEARS_EVE_MS)).toBe(day);
  expect(time.second(NEW_YEARS_EVE_MS)).toBe(second);
});
