import type { JobSpec } from "@factotum/agent-contract";
import { nextInstant } from "@factotum/schedule";
import type { Schedule } from "@factotum/schedule";
import type { JobRecord, OccurrenceRecord } from "@factotum/store";
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { dueSlots, missedClaim, scheduleOf, startOfSlot } from "./due-slots.ts";

/** Part of `pnpm test:slow`. */
const IS_SLOW = process.env["FACTOTUM_SLOW"] !== undefined;
const SECOND_MS = 1_000;
const MINUTE_MS = 60 * SECOND_MS;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
/** The evening before the clocks of Europe and of Lord Howe change. */
const START_MS = Date.UTC(2026, 9, 3, 12, 0, 30);

function job(spec: Partial<JobSpec> & Pick<JobSpec, "schedule">, changes: Partial<JobRecord> = {}): JobRecord {
  const base: JobRecord = {
    id: "job",
    agentId: "main",
    spec: { name: "job", payload: { type: "message", text: "ping" }, ...spec },
    authority: {
      owner: true,
      sender: { id: "owner-1", isBot: false },
      origin: { channel: "test", accountId: "default", conversation: { kind: "direct", id: "dm-1" } },
      sessionKey: "agent:main:main",
    },
    createdAtMs: START_MS,
    scheduledAtMs: START_MS,
    failures: 0,
    ...changes,
  };
  return { ...base, nextSlotMs: nextInstant(scheduleOf(base, "UTC"), START_MS) ?? 0 };
}

/** A scheduler with its ledger in memory, ticked like the real one. What is stored survives a restart. */
class Ledger {
  job: JobRecord;
  readonly rows = new Map<number, OccurrenceRecord>();
  readonly #schedule: Schedule;

  constructor(first: JobRecord, timezone = "UTC") {
    this.job = first;
    this.#schedule = scheduleOf(first, timezone);
  }

  tick(nowMs: number, isBusy = false): readonly OccurrenceRecord[] {
    if (this.job.nextSlotMs === undefined) return [];
    const due = dueSlots(this.job, this.#schedule, { nowMs, isBusy });
    if (due === undefined) return [];
    this.job = due.job;
    const added = due.occurrences.filter(({ slotMs }) => !this.rows.has(slotMs));
    for (const row of added) this.rows.set(row.slotMs, row);
    return added;
  }

  get list(): readonly OccurrenceRecord[] {
    return [...this.rows.values()].toSorted((one, other) => one.slotMs - other.slotMs);
  }
}

function instants(of: JobRecord, untilMs: number, timezone = "UTC"): readonly number[] {
  const schedule = scheduleOf(of, timezone);
  const found: number[] = [];
  for (let slotMs = nextInstant(schedule, START_MS); slotMs !== undefined && startOfSlot(of, slotMs) <= untilMs;) {
    found.push(slotMs);
    slotMs = nextInstant(schedule, slotMs);
  }
  return found;
}

const schedules = fc.constantFrom<JobSpec["schedule"]>(
  { type: "every", every: "10s" },
  { type: "every", every: "7m" },
  { type: "every", every: "1h", anchor: "2026-10-01T00:10:00Z" },
  { type: "at", at: "3h" },
  { type: "cron", cron: "* * * * *" },
  { type: "cron", cron: "*/5 * * * *" },
  { type: "cron", cron: "0 * * * *", timezone: "Australia/Lord_Howe" },
  { type: "cron", cron: "15 2 * * *", timezone: "Australia/Lord_Howe" },
  { type: "cron", cron: "0,30 1,2 * * *", timezone: "Australia/Lord_Howe" },
);
const catchUps = fc.constantFrom<JobSpec["catchUp"]>(undefined, { mode: "skip" }, { mode: "once" }, { mode: "all", maxAge: "2h" });
const payloads = fc.constantFrom<JobSpec["payload"]>({ type: "message", text: "ping" }, { type: "agentTurn", message: "go" });
/** What happens to the clock and the process, in the order in which it is tried. A tick is late by at most a minute. */
const steps = fc.array(
  fc.oneof(
    { weight: 6, arbitrary: fc.record({ type: fc.constant("tick" as const), ms: fc.integer({ min: 1, max: MINUTE_MS }) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("jump" as const), ms: fc.constantFrom(HOUR_MS, DAY_MS, -10 * MINUTE_MS) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("sleep" as const), ms: fc.constant(8 * HOUR_MS) }) },
    { weight: 2, arbitrary: fc.record({ type: fc.constant("restart" as const), ms: fc.integer({ min: 0, max: 3 * HOUR_MS }) }) },
    { weight: 1, arbitrary: fc.record({ type: fc.constant("busy" as const), ms: fc.integer({ min: 1, max: MINUTE_MS }) }) },
  ),
  { maxLength: 30 },
);

describe("whatever happens to the clock and the process", () => {
  test("each slot is in the ledger once, with one outcome, and none is lost in silence", () => {
    fc.assert(
      fc.property(schedules, catchUps, payloads, steps, (schedule, catchUp, payload, happenings) => {
        const first = job({ schedule, payload, ...(catchUp === undefined ? {} : { catchUp }) });
        const ledger = new Ledger(first);
        let nowMs = START_MS;
        let latestMs = nowMs;
        for (const { type, ms } of happenings) {
          nowMs = Math.max(START_MS, nowMs + ms);
          latestMs = Math.max(latestMs, nowMs);
          const added = ledger.tick(nowMs, type === "busy");
          const claimed = added.filter(({ state }) => state === "claimed");
          if (catchUp?.mode !== "all") expect(claimed.length).toBeLessThanOrEqual(1);
          // Nothing runs before its time, and a second look changes nothing.
          for (const { slotMs } of added) expect(startOfSlot(first, slotMs)).toBeLessThanOrEqual(nowMs);
          expect(ledger.tick(nowMs, type === "busy")).toEqual([]);
        }
        const expected = instants(first, latestMs);
        const single = ledger.list.filter(({ count }) => count === undefined).map(({ slotMs }) => slotMs);
        const shared = ledger.list.reduce((sum, { count = 0 }) => sum + count, 0);
        expect(single.filter((slotMs) => !expected.includes(slotMs))).toEqual([]);
        expect(single.length + shared).toBe(expected.length);
        expect(ledger.list.filter(({ state, reason }) => state !== "claimed" && reason === undefined)).toEqual([]);
      }),
      { numRuns: IS_SLOW ? 3000 : 60 },
    );
  }, 600_000);

  test("a process that ticks in time misses nothing", () => {
    fc.assert(
      fc.property(
        schedules,
        payloads,
        fc.array(fc.integer({ min: 1, max: 9 * SECOND_MS }), { minLength: 200, maxLength: 400 }),
        (schedule, payload, delays) => {
          const ledger = new Ledger(job({ schedule, payload }));
          let nowMs = START_MS;
          for (const delayMs of delays) {
            nowMs += delayMs;
            ledger.tick(nowMs);
          }
          expect(ledger.list.filter(({ state }) => state !== "claimed")).toEqual([]);
        },
      ),
      { numRuns: IS_SLOW ? 200 : 10 },
    );
  });
});

describe("after a downtime", () => {
  test.each<[string, JobSpec["schedule"], number, number]>([
    ["of a day, a job of every minute", { type: "cron", cron: "* * * * *" }, DAY_MS, 1440],
    ["of a month, a job of every ten seconds", { type: "every", every: "10s" }, 30 * DAY_MS, 259_200],
    ["of a week, a job of every hour", { type: "cron", cron: "0 * * * *" }, 7 * DAY_MS, 168],
  ])("%s has the newest 100 missed slots in rows, and one for the rest", (_, schedule, downMs, count) => {
    const first = job({ schedule });
    const ledger = new Ledger(first);
    const nowMs = START_MS + downMs;
    ledger.tick(nowMs);
    const [summary, ...newest] = ledger.list;
    expect(newest).toHaveLength(100);
    expect(summary).toMatchObject({ state: "missed", count: count - 100 });
    const slots = newest.map(({ slotMs }) => slotMs);
    expect(slots).toEqual(instants(first, nowMs).slice(-100));
    expect(summary?.slotMs).toBe(instants(first, nowMs).at(-101));
  });

  test("slots that share a row are not decided on again when the clock is set back to them", () => {
    const ledger = new Ledger(job({ schedule: { type: "every", every: "10s" } }));
    const nowMs = START_MS + 8 * HOUR_MS;
    ledger.tick(nowMs);
    expect([10, 20, 19].flatMap((minutes) => ledger.tick(nowMs - minutes * MINUTE_MS))).toEqual([]);
    expect(ledger.tick(nowMs + 10 * SECOND_MS)).toHaveLength(1);
  });

  test("more slots than can be counted are said to be more", () => {
    const ledger = new Ledger(job({ schedule: { type: "cron", cron: "*/5 * * * * *" } }));
    ledger.tick(START_MS + DAY_MS);
    expect(ledger.list[0]).toMatchObject({ count: 2_000, reason: expect.stringContaining("more of them than are counted") });
  });

  test.each<[JobSpec["catchUp"], JobSpec["schedule"], number, readonly string[]]>([
    [undefined, { type: "every", every: "1h" }, 3 * HOUR_MS + 6 * MINUTE_MS, ["missed", "missed", "missed"]],
    [undefined, { type: "every", every: "1h" }, 3 * HOUR_MS + 5 * MINUTE_MS, ["missed", "missed", "claimed"]],
    [{ mode: "once" }, { type: "every", every: "1h" }, 3 * HOUR_MS + 6 * MINUTE_MS, ["missed", "missed", "claimed"]],
    [{ mode: "once", maxAge: "30m" }, { type: "every", every: "2h" }, 3 * HOUR_MS, ["missed"]],
    [{ mode: "all" }, { type: "every", every: "1h" }, 3 * HOUR_MS + 6 * MINUTE_MS, ["claimed", "claimed", "claimed"]],
    [{ mode: "all", maxAge: "90m" }, { type: "every", every: "1h" }, 3 * HOUR_MS + 6 * MINUTE_MS, ["missed", "claimed", "claimed"]],
    [undefined, { type: "at", at: "1h" }, 24 * HOUR_MS, ["claimed"]],
    [undefined, { type: "at", at: "1h" }, 26 * HOUR_MS, ["missed"]],
    [{ mode: "skip" }, { type: "at", at: "1h" }, 2 * HOUR_MS, ["missed"]],
  ])("catchUp %j of %j decides", (catchUp, schedule, downMs, states) => {
    const ledger = new Ledger(job({ schedule, ...(catchUp === undefined ? {} : { catchUp }) }));
    ledger.tick(START_MS + downMs);
    expect(ledger.list.map(({ state }) => state)).toEqual(states);
  });

  test("slots that a restored copy may have run already are missed", () => {
    const first = job(
      { schedule: { type: "every", every: "1h" }, catchUp: { mode: "all" } },
      { ignoredBeforeMs: START_MS + 150 * MINUTE_MS },
    );
    const ledger = new Ledger(first);
    ledger.tick(START_MS + 3 * HOUR_MS);
    expect(ledger.list.map(({ state, reason }) => `${state} ${reason ?? ""}`.trim())).toEqual([
      "missed the gateway's state was restored from a copy",
      "missed the gateway's state was restored from a copy",
      "claimed",
    ]);
  });
});

test("a claimed slot whose next attempt waits is late from then on", () => {
  const first = job({ schedule: { type: "every", every: "1h" } });
  const slotMs = START_MS + HOUR_MS;
  const notBeforeMs = slotMs + HOUR_MS;
  const waiting: OccurrenceRecord = { jobId: first.id, slotMs, state: "claimed", attempt: 5, notBeforeMs };
  expect(missedClaim(first, waiting, notBeforeMs + 5 * MINUTE_MS)).toBeUndefined();
  expect(missedClaim(first, waiting, notBeforeMs + 5 * MINUTE_MS + 1)).toMatchObject({ state: "missed" });
  const { notBeforeMs: _none, ...begins } = waiting;
  expect(missedClaim(first, begins, slotMs + 5 * MINUTE_MS + 1)).toMatchObject({ state: "missed" });
});

test("a slot of another zone than the agent's present one is neither run nor missed", () => {
  const berlin = job({ schedule: { type: "cron", cron: "0 9 * * *" } }, {});
  const nextSlotMs = Date.UTC(2026, 9, 4, 7);
  const ledger = new Ledger({ ...berlin, nextSlotMs }, "America/New_York");
  ledger.tick(nextSlotMs + MINUTE_MS);
  expect(ledger.list).toEqual([]);
  ledger.tick(Date.UTC(2026, 9, 4, 13, 1));
  expect(ledger.list.map(({ slotMs, state }) => [slotMs, state])).toEqual([[Date.UTC(2026, 9, 4, 13), "claimed"]]);
});
