import fc from "fast-check";
import { expect, test } from "vitest";
import { nextInstant, nextInstants, parseSchedule, ScheduleError, spreadDelayMs, type ScheduleInput } from "./index.ts";

const NOW = Date.parse("2026-01-01T00:00Z");
const parse = (input: ScheduleInput, timezone = "Europe/Berlin", nowMs = NOW) => parseSchedule(input, { nowMs, timezone });
const iso = (instants: readonly number[]) => instants.map((ms) => new Date(ms).toISOString().replace(":00.000Z", "Z"));
const after = (cron: string, timezone: string, from: string, count: number) =>
  iso(nextInstants(parse({ type: "cron", cron, timezone }, timezone, Date.parse("2000-01-01T00:00Z")), Date.parse(from), count));

test.each([
  ["a time in a gap", "30 2 * * *", "America/New_York", "2026-03-07T12:00Z", ["2026-03-08T07:00Z", "2026-03-09T06:30Z"]],
  ["a time in a fold", "30 1 * * *", "America/New_York", "2026-10-31T12:00Z", ["2026-11-01T05:30Z", "2026-11-02T06:30Z"]],
  [
    "every hour over a fold",
    "0 * * * *",
    "America/New_York",
    "2026-11-01T04:30Z",
    ["2026-11-01T05:00Z", "2026-11-01T06:00Z", "2026-11-01T07:00Z"],
  ],
  [
    "half hours over a gap",
    "*/30 * * * *",
    "America/New_York",
    "2026-03-08T06:00Z",
    ["2026-03-08T06:30Z", "2026-03-08T07:00Z", "2026-03-08T07:30Z"],
  ],
  ["a gap of half an hour", "15 2 * * *", "Australia/Lord_Howe", "2026-10-03T00:00Z", ["2026-10-03T15:30Z", "2026-10-04T15:15Z"]],
  ["a fold of half an hour", "45 1 * * *", "Australia/Lord_Howe", "2026-04-04T00:00Z", ["2026-04-04T14:45Z", "2026-04-05T15:15Z"]],
  ["a gap of two hours", "30 1 * * *", "Antarctica/Troll", "2026-03-28T12:00Z", ["2026-03-29T01:00Z", "2026-03-29T23:30Z"]],
  ["a fold of two hours", "30 2 * * *", "Antarctica/Troll", "2026-10-24T12:00Z", ["2026-10-25T00:30Z", "2026-10-26T02:30Z"]],
  ["a gap at midnight", "30 0 * * *", "Africa/Cairo", "2026-04-23T00:00Z", ["2026-04-23T22:00Z", "2026-04-24T21:30Z"]],
  ["a gap before midnight", "0 23 * * *", "America/Nuuk", "2026-03-28T12:00Z", ["2026-03-29T01:00Z", "2026-03-30T00:00Z"]],
  ["a day that does not exist", "0 9 * * *", "Pacific/Apia", "2011-12-29T00:00Z", ["2011-12-29T19:00Z", "2011-12-30T19:00Z"]],
  ["a date that does not exist", "0 9 30 12 *", "Pacific/Apia", "2011-12-29T00:00Z", ["2012-12-29T19:00Z"]],
  ["several times in a gap", "0,30 2 * * *", "America/New_York", "2026-03-07T12:00Z", ["2026-03-08T07:00Z", "2026-03-09T06:00Z"]],
  [
    "several times in a fold",
    "0,30 1 * * *",
    "America/New_York",
    "2026-10-31T12:00Z",
    ["2026-11-01T05:00Z", "2026-11-01T05:30Z", "2026-11-02T06:00Z"],
  ],
  [
    "every minute of an hour in a fold",
    "*/20 1-2 * * *",
    "America/New_York",
    "2026-11-01T05:15Z",
    ["2026-11-01T05:20Z", "2026-11-01T05:40Z", "2026-11-01T07:00Z"],
  ],
  [
    "every second hour over a fold",
    "0 */2 * * *",
    "Europe/Berlin",
    "2026-10-24T21:00Z",
    ["2026-10-24T22:00Z", "2026-10-25T00:00Z", "2026-10-25T01:00Z", "2026-10-25T03:00Z"],
  ],
  ["seconds in a gap", "15,45 59 2 * * *", "Europe/Berlin", "2026-03-28T12:00Z", ["2026-03-29T01:00Z", "2026-03-30T00:59:15.000Z"]],
  ["either kind of day", "0 9 15 * 1", "UTC", "2026-01-01T00:00Z", ["2026-01-05T09:00Z", "2026-01-12T09:00Z", "2026-01-15T09:00Z"]],
])("%s", (_, cron, timezone, from, expected) => {
  expect(after(cron, timezone, from, expected.length)).toEqual(expected);
});

test.each([
  ["2026-07-01T09:00", "Europe/Berlin", "2026-07-01T07:00Z"],
  ["2026-07-01", "Europe/Berlin", "2026-06-30T22:00Z"],
  ["2026-07-01T09:00+05:45", "Europe/Berlin", "2026-07-01T03:15Z"],
  ["2026-03-08T02:30", "America/New_York", "2026-03-08T07:00Z"],
  ["2026-11-01T01:30", "America/New_York", "2026-11-01T05:30Z"],
  ["2026-10-04T02:15", "Australia/Lord_Howe", "2026-10-03T15:30Z"],
  ["1h30m", "Europe/Berlin", "2026-01-01T01:30Z"],
])("at %s in %s", (at, timezone, expected) => {
  expect(iso(nextInstants(parse({ type: "at", at }, timezone), NOW, 5))).toEqual([expected]);
});

test.each<[ScheduleInput, string]>([
  [{ type: "at", at: "2025-12-31T00:00Z" }, "is past"],
  [{ type: "at", at: "2026-02-30T09:00" }, "no calendar has"],
  [{ type: "at", at: "2026-02-03T25:00" }, "no calendar has"],
  [{ type: "at", at: "2026-02-03T10:00+99:00" }, "no calendar has"],
  [{ type: "every", every: "1d", anchor: "2026-02-03T10:00+99:00" }, "no calendar has"],
  [{ type: "at", at: "tomorrow" }, "is no time"],
  [{ type: "at", at: "20m", timezone: "Mars/Base" }, '"Mars/Base" is unknown'],
  [{ type: "every", every: "0s" }, "at least 1s"],
  [{ type: "every", every: "half an hour" }, "is no duration"],
  [{ type: "cron", cron: "0 9 * *" }, "has 4 fields"],
  [{ type: "cron", cron: "@daily" }, "five, or six"],
  [{ type: "cron", cron: "0 99 * * *" }, "is no cron expression: Invalid value for hour: 99"],
  [{ type: "cron", cron: "0 0 30 2 *" }, "never falls due"],
])("%j is refused", (input, message) => {
  expect(() => parse(input)).toThrow(ScheduleError);
  expect(() => parse(input)).toThrow(message);
});

test("an interval keeps its anchor, whatever instant it is asked from", () => {
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 999_999 }), fc.integer({ min: -1e9, max: 1e9 }), (seconds, offsetMs) => {
      const schedule = parse({ type: "every", every: `${seconds}s` });
      const nextMs = nextInstant(schedule, NOW + offsetMs) ?? Number.NaN;
      expect((nextMs - NOW) % (seconds * 1_000)).toBe(0);
      expect(nextMs).toBeGreaterThanOrEqual(NOW);
      expect(nextMs).toBeGreaterThan(NOW + offsetMs);
      expect(nextMs - Math.max(NOW + offsetMs, NOW - 1)).toBeLessThanOrEqual(seconds * 1_000);
    }),
  );
});

test("an anchor can be a local time", () => {
  const schedule = parse({ type: "every", every: "1d", anchor: "2026-01-02T08:00" });
  expect(iso(nextInstants(schedule, NOW, 2))).toEqual(["2026-01-02T07:00Z", "2026-01-03T07:00Z"]);
});

test("only the full hour is spread, by less than five minutes, and always alike for a job", () => {
  const delays = Array.from({ length: 200 }, (_, index) => spreadDelayMs(`job-${index}`, NOW));
  expect(Math.max(...delays)).toBeLessThan(300_000);
  expect(Math.min(...delays)).toBeGreaterThanOrEqual(0);
  expect(new Set(delays).size).toBeGreaterThan(190);
  expect(spreadDelayMs("job-7", NOW + 3_600_000)).toBe(delays[7]);
  expect(spreadDelayMs("job-7", NOW + 60_000)).toBe(0);
});
