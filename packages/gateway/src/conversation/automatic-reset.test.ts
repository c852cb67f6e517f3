import { createTimeFormat } from "@factotum/agent-core";
import type { TimeFormat } from "@factotum/agent-core";
import type { ResetConfig } from "@factotum/config";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { withoutUndefined } from "@factotum/agent-contract";
import { findStaleness, resetPolicy } from "./automatic-reset.ts";

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const utc = createTimeFormat("UTC");

const daily = (atHour: number, idleMinutes?: number): ResetConfig => ({
  mode: "daily",
  atHour,
  ...withoutUndefined({ idleMinutes }),
});
const idle = (idleMinutes: number): ResetConfig => ({ mode: "idle", atHour: 4, idleMinutes });
const none: ResetConfig = { mode: "none", atHour: 4, idleMinutes: 1 };

/** A session that started, and was last active, at these times. */
const session = (started: string, interacted = started): { startedAtMs: number; interactedAtMs: number } => ({
  startedAtMs: Date.parse(started),
  interactedAtMs: Date.parse(interacted),
});
const at = (saidAt: string, time: TimeFormat = utc): { saidAtMs: number; time: TimeFormat } => ({ saidAtMs: Date.parse(saidAt), time });

describe("the applicable policy", () => {
  const base = daily(4);
  const [direct, group, thread, chat] = [idle(1), idle(2), idle(3), idle(4)];
  const config = { reset: base, resetByType: { direct, group, thread }, resetByChannel: { Chat: chat } };

  test.each([
    ["agent:main:main", "other", direct],
    ["agent:main:main", "chat", chat],
    ["global", "other", direct],
    ["agent:main:direct:olga", "other", direct],
    ["agent:main:other:direct:olga", "other", direct],
    ["agent:main:other:default:direct:olga", "other", direct],
    ["agent:main:other:group:42", "other", group],
    ["agent:main:other:group:42:topic:7", "other", thread],
    ["agent:main:other:channel:42", "other", group],
    ["agent:main:other:channel:42:thread:7", "other", thread],
    ["agent:main:http:app", "http", direct],
    // A group that is answered from the gateway's own page is still that group.
    ["agent:main:chat:group:42", "webchat", chat],
    ["agent:main:other:group:42", "chat", group],
  ])("%s, from %s", (key, channel, policy) => {
    expect(resetPolicy(config, { key, channel })).toBe(policy);
  });

  test("without a more specific policy the base applies, and a sender's name is not a channel", () => {
    const plain = { reset: base, resetByType: {}, resetByChannel: {} };
    for (const key of ["agent:main:main", "agent:main:chat:group:1", "agent:main:chat:group:1:topic:2"])
      for (const channel of ["chat", "constructor", "__proto__"]) expect(resetPolicy(plain, { key, channel })).toBe(base);
  });
});

describe("daily", () => {
  test.each([
    ["2026-03-10T03:59:59Z", "2026-03-10T04:00:00Z", "daily"],
    ["2026-03-10T04:00:00Z", "2026-03-11T03:59:59Z", undefined],
    ["2026-03-10T04:00:00Z", "2026-03-11T04:00:00Z", "daily"],
    ["2026-02-28T23:59:00Z", "2026-03-01T00:01:00Z", undefined],
    ["2026-12-31T05:00:00Z", "2027-01-01T04:00:00Z", "daily"],
    ["2026-03-10T05:00:00Z", "2026-06-10T03:00:00Z", "daily"],
    // The clock was set back.
    ["2026-03-10T05:00:00Z", "2026-03-01T05:00:00Z", undefined],
  ])("started %s, message %s", (started, said, expected) => {
    expect(findStaleness(session(started), daily(4), at(said))).toBe(expected);
  });

  test("activity this morning does not extend it past its day", () => {
    expect(findStaleness(session("2026-03-10T12:00:00Z", "2026-03-11T03:59:00Z"), daily(4), at("2026-03-11T04:00:00Z"))).toBe("daily");
  });

  test("uses the local time of the user", () => {
    const tokyo = createTimeFormat("Asia/Tokyo");
    // 18:59 and 19:00 of the day before, in UTC.
    expect(findStaleness(session("2026-03-09T20:00:00Z"), daily(4), at("2026-03-10T18:59:59Z", tokyo))).toBeUndefined();
    expect(findStaleness(session("2026-03-09T20:00:00Z"), daily(4), at("2026-03-10T19:00:00Z", tokyo))).toBe("daily");
  });

  test.each([
    // An hour that does not exist: at 02:00 the clock goes to 03:00.
    ["America/New_York", 2, "2026-03-08T06:59:59Z", "2026-03-08T07:00:00Z"],
    // A repeated hour starts once: at 02:00 the clock goes back to 01:00, and 01:00 was an hour before.
    ["America/New_York", 1, "2026-11-01T04:59:59Z", "2026-11-01T05:00:00Z"],
    ["Europe/Berlin", 4, "2026-03-29T01:59:59Z", "2026-03-29T02:00:00Z"],
    ["Europe/Berlin", 4, "2026-10-25T02:59:59Z", "2026-10-25T03:00:00Z"],
  ])("%s, %i o'clock on a day of a clock change", (zone, atHour, before, after) => {
    const time = createTimeFormat(zone);
    const began = { startedAtMs: Date.parse(before) - 2 * HOUR_MS, interactedAtMs: Date.parse(before) };
    expect(findStaleness(began, daily(atHour), at(before, time))).toBeUndefined();
    expect(findStaleness(began, daily(atHour), at(after, time))).toBe("daily");
    const fresh = { startedAtMs: Date.parse(after), interactedAtMs: Date.parse(after) };
    expect(findStaleness(fresh, daily(atHour), { saidAtMs: Date.parse(after) + 2 * HOUR_MS, time })).toBeUndefined();
  });

  test("happens once a day in every zone, even with clock changes", () => {
    const zones = ["UTC", "Europe/Berlin", "America/New_York", "Australia/Lord_Howe", "Asia/Kathmandu", "America/St_Johns", "Pacific/Apia"];
    fc.assert(
      fc.property(
        fc.constantFrom(...zones).map(createTimeFormat),
        fc.integer({ min: 0, max: 23 }),
        fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2027, 11, 31) }),
        (time, atHour, startMs) => {
          // A message every quarter of an hour for four days: there are as many resets as new days.
          let startedAtMs = startMs;
          const resets: number[] = [];
          for (let nowMs = startMs; nowMs < startMs + 96 * HOUR_MS; nowMs += 15 * MINUTE_MS) {
            if (findStaleness({ startedAtMs, interactedAtMs: nowMs }, daily(atHour), { saidAtMs: nowMs, time }) === undefined) continue;
            resets.push(nowMs);
            startedAtMs = nowMs;
          }
          // The last reset may be just after the four days.
          expect([3, 4]).toContain(resets.length);
          for (const resetMs of resets) {
            const [, clock = ""] = time.second(resetMs).split(" ");
            // One hour later on days without this hour.
            expect([atHour, (atHour + 1) % 24]).toContain(Number(clock.slice(0, 2)));
          }
          for (const [index, resetMs] of resets.slice(1).entries()) {
            const hours = (resetMs - (resets[index] ?? 0)) / HOUR_MS;
            expect(hours).toBeGreaterThanOrEqual(22.5);
            expect(hours).toBeLessThanOrEqual(25.5);
          }
        },
      ),
      { numRuns: 60 },
    );
  });
});

describe("idle", () => {
  test("ends a conversation without activity for longer than the minutes, regardless of its age", () => {
    const begun = session("2026-03-01T12:00:00Z", "2026-03-10T12:00:00Z");
    expect(findStaleness(begun, idle(60), at("2026-03-10T13:00:00.000Z"))).toBeUndefined();
    expect(findStaleness(begun, idle(60), at("2026-03-10T13:00:00.001Z"))).toBe("idle");
    expect(findStaleness(begun, idle(60), at("2026-03-09T12:00:00Z"))).toBeUndefined();
  });
});

test("an import counts as activity, regardless of its age", () => {
  const old = { ...session("2020-01-01T12:00:00Z"), importedAtMs: Date.parse("2026-03-10T12:00:00Z") };
  expect(findStaleness(old, daily(4, 60), at("2026-03-10T13:00:00Z"))).toBeUndefined();
  expect(findStaleness(old, daily(4, 60), at("2026-03-10T13:01:00Z"))).toBe("idle");
  expect(findStaleness(old, daily(4), at("2026-03-11T03:59:00Z"))).toBeUndefined();
  expect(findStaleness(old, daily(4), at("2026-03-11T04:00:00Z"))).toBe("daily");
});

test("with both the earlier one applies, and there is no reset without either", () => {
  const time = utc;
  const moment = fc.integer({ min: Date.UTC(2026, 0, 1), max: Date.UTC(2026, 0, 6) });
  fc.assert(
    fc.property(moment, moment, moment, fc.integer({ min: 0, max: 23 }), fc.integer({ min: 1, max: 3000 }), (a, b, c, atHour, minutes) => {
      const [startedAtMs = 0, interactedAtMs = 0, saidAtMs = 0] = [a, b, c].toSorted((left, right) => left - right);
      const one = { startedAtMs, interactedAtMs };
      const said = { saidAtMs, time };
      const byDay = findStaleness(one, daily(atHour), said);
      const bySilence = findStaleness(one, idle(minutes), said);
      expect(findStaleness(one, daily(atHour, minutes), said)).toBe(byDay ?? bySilence);
      expect(findStaleness(one, none, said)).toBeUndefined();
      // A conversation that has just begun is not stale.
      expect(findStaleness({ startedAtMs: saidAtMs, interactedAtMs: saidAtMs }, daily(atHour, minutes), said)).toBeUndefined();
    }),
  );
});
