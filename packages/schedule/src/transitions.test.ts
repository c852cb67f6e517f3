import { expect, test } from "vitest";
import { elapsedInstants, findTransitions, fixedInstants, scanFixed, type Transition } from "../test/oracle.ts";
import { nextInstant, type CronSchedule } from "./index.ts";

const DAY_MS = 86_400_000;
const IS_SLOW = process.env["FACTOTUM_SLOW"] !== undefined;
const FROM_MS = Date.parse(IS_SLOW ? "2018-01-01T00:00Z" : "2026-01-01T00:00Z");
const TO_MS = Date.parse(IS_SLOW ? "2028-01-01T00:00Z" : "2027-01-01T00:00Z");
const ZONES = Intl.supportedValuesOf("timeZone");

const cron = (expression: string, timezone: string): CronSchedule => ({ type: "cron", expression, timezone });

function instantsOf(schedule: CronSchedule, fromMs: number, toMs: number): number[] {
  const instants: number[] = [];
  for (let ms = nextInstant(schedule, fromMs - 1); ms !== undefined && ms < toMs; ms = nextInstant(schedule, ms)) instants.push(ms);
  return instants;
}

/** Local times of day around a transition: in the middle of the gap or the fold; in the long form at its edges, too. */
function timesNear({ atMs, beforeMs, afterMs }: Transition): { hour: number; minute: number }[] {
  const low = atMs + Math.min(beforeMs, afterMs);
  const high = atMs + Math.max(beforeMs, afterMs);
  const edges = IS_SLOW ? [low - 60_000, low, high - 60_000, high] : [];
  return [(low + high) / 2, ...edges].map((wallMs) => {
    const wall = new Date(wallMs);
    return { hour: wall.getUTCHours(), minute: wall.getUTCMinutes() };
  });
}

test("every zone keeps to the oracle within two days of each change of its clock", () => {
  let compared = 0;
  for (const zone of ZONES) {
    for (const transition of findTransitions(zone, FROM_MS, TO_MS)) {
      const fromMs = transition.atMs - 2 * DAY_MS;
      const toMs = transition.atMs + 2 * DAY_MS;
      for (const { hour, minute } of timesNear(transition)) {
        const actual = instantsOf(cron(`${minute} ${hour} * * *`, zone), fromMs, toMs);
        expect(actual, `${zone} ${hour}:${minute} near ${new Date(transition.atMs).toISOString()}`).toEqual(
          fixedInstants(transition, hour, minute),
        );
      }
      for (const [expression, matches] of [
        ["*/30 * * * *", (minute: number) => minute % 30 === 0],
        ["7 * * * *", (minute: number) => minute === 7],
      ] as const) {
        expect(instantsOf(cron(expression, zone), fromMs, toMs), `${zone} ${expression}`).toEqual(elapsedInstants(transition, matches));
      }
      compared += 1;
    }
  }
  // About a third of all zones change their clocks.
  expect(compared).toBeGreaterThan(200);
}, 1_200_000);

const SCANNED = [
  "America/New_York",
  "Europe/Berlin",
  "Australia/Lord_Howe",
  "Antarctica/Troll",
  "Africa/Cairo",
  "Africa/Casablanca",
  "Asia/Kathmandu",
  "Pacific/Auckland",
];

test("zones keep to a scan of every minute", () => {
  const years = IS_SLOW ? 2 : 0.15;
  const fromMs = Date.parse("2026-02-20T00:00Z");
  const toMs = fromMs + years * 365 * DAY_MS;
  for (const zone of SCANNED.slice(0, IS_SLOW ? undefined : 2)) {
    expect(instantsOf(cron("30 2 * * *", zone), fromMs, toMs), zone).toEqual(scanFixed(zone, fromMs, toMs, 2, 30));
  }
}, 1_200_000);
