import { expect, test } from "vitest";
import { elapsedInstants, findTransitions, fixedInstants, scanMinutes, type IsWanted, type Transition } from "../test/oracle.ts";
import { nextInstant, parseSchedule } from "./index.ts";

const DAY_MS = 86_400_000;
const MINUTE_MS = 60_000;
/** Part of `pnpm test:slow`. */
const IS_SLOW = process.env["FACTOTUM_SLOW"] !== undefined;
const FROM_MS = Date.parse(IS_SLOW ? "2018-01-01T00:00Z" : "2026-01-01T00:00Z");
const TO_MS = Date.parse(IS_SLOW ? "2028-01-01T00:00Z" : "2027-01-01T00:00Z");
const ZONES = Intl.supportedValuesOf("timeZone");

function instantsOf(cron: string, timezone: string, fromMs: number, toMs: number): number[] {
  const schedule = parseSchedule({ type: "cron", cron }, { nowMs: fromMs, timezone });
  const instants: number[] = [];
  for (let ms = nextInstant(schedule, fromMs - 1); ms !== undefined && ms < toMs; ms = nextInstant(schedule, ms)) instants.push(ms);
  return instants;
}

/** Minutes of the day around a transition: in the middle of the gap or the fold; in the long form at its edges, too. */
function timesNear({ atMs, beforeMs, afterMs }: Transition): number[] {
  const low = atMs + Math.min(beforeMs, afterMs);
  const high = atMs + Math.max(beforeMs, afterMs);
  const edges = IS_SLOW ? [low - MINUTE_MS, low, high - MINUTE_MS, high] : [];
  return [(low + high) / 2, ...edges].map((wallMs) => Math.floor((((wallMs % DAY_MS) + DAY_MS) % DAY_MS) / MINUTE_MS));
}

/** Expressions that name several hours or minutes. */
const SEVERAL: readonly (readonly [string, IsWanted])[] = [
  ["0,30 0-3,22,23 * * *", (time) => time % 30 === 0 && [0, 1, 2, 3, 22, 23].includes(Math.floor(time / 60))],
];
const ELAPSED: readonly (readonly [string, IsWanted])[] = [
  ["*/30 * * * *", (time) => time % 30 === 0],
  ["7 * * * *", (time) => time % 60 === 7],
  ["20 */2 * * *", (time) => time % 120 === 20],
];

test("every zone keeps to the oracle within two days of each change of its clock", () => {
  let found = 0;
  const compared = new Set<string>();
  for (const zone of ZONES) {
    for (const transition of findTransitions(zone, [FROM_MS, TO_MS], IS_SLOW ? DAY_MS : 7 * DAY_MS)) {
      found += 1;
      // Many zones change their clocks alike.
      if (!IS_SLOW && compared.size === compared.add(JSON.stringify(transition)).size) continue;
      const fromMs = transition.atMs - 2 * DAY_MS;
      const toMs = transition.atMs + 2 * DAY_MS;
      const where = `${zone} near ${new Date(transition.atMs).toISOString()}`;
      const single = timesNear(transition).map((minute): readonly [string, IsWanted] => [
        `${minute % 60} ${Math.floor(minute / 60)} * * *`,
        (time) => time === minute,
      ]);
      for (const [expression, isWanted] of [...single, ...SEVERAL])
        expect(instantsOf(expression, zone, fromMs, toMs), `${expression} in ${where}`).toEqual(fixedInstants(transition, isWanted));
      for (const [expression, isWanted] of ELAPSED)
        expect(instantsOf(expression, zone, fromMs, toMs), `${expression} in ${where}`).toEqual(elapsedInstants(transition, isWanted));
    }
  }
  // About a third of all zones change their clocks.
  expect(found).toBeGreaterThan(200);
}, 1_800_000);

const SCANNED = [
  "America/New_York",
  "Australia/Lord_Howe",
  "Europe/Berlin",
  "Antarctica/Troll",
  "Africa/Cairo",
  "Africa/Casablanca",
  "Asia/Kathmandu",
  "Pacific/Auckland",
];

test("zones keep to a scan of every minute", () => {
  const fromMs = Date.parse("2026-02-20T00:00Z");
  const toMs = fromMs + (IS_SLOW ? 2 * 365 : 50) * DAY_MS;
  for (const zone of SCANNED.slice(0, IS_SLOW ? undefined : 2)) {
    for (const [expression, isWanted] of [["30 2 * * *", (time) => time === 150], ...SEVERAL] satisfies readonly (readonly [
      string,
      IsWanted,
    ])[])
      expect(instantsOf(expression, zone, fromMs, toMs), `${expression} in ${zone}`).toEqual(
        scanMinutes(zone, [fromMs, toMs], isWanted).fixed,
      );
    for (const [expression, isWanted] of ELAPSED.slice(0, IS_SLOW ? undefined : 1))
      expect(instantsOf(expression, zone, fromMs, toMs), `${expression} in ${zone}`).toEqual(
        scanMinutes(zone, [fromMs, toMs], isWanted).elapsed,
      );
  }
}, 1_800_000);
