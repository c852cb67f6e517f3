import { ModelError, type ModelErrorCode, type Retry, withoutUndefined } from "@factotum/agent-contract";
import { describe, expect, test } from "vitest";
import { Cooldowns } from "./cooldowns.ts";

const KEY = { provider: "house", model: "m1", credential: "work" };
const OTHER_MODEL = { ...KEY, model: "m2" };
const OTHER_CREDENTIAL = { ...KEY, credential: "home" };
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

function error(code: ModelErrorCode, retry: Retry = { type: "backoff" }, status?: number): ModelError {
  return new ModelError(code, code, { retry, ...withoutUndefined({ status }) });
}

/** The cooldown of the candidate after each of `times` failures, each just after the previous cooldown. */
function rests(code: ModelErrorCode, times: number): number[] {
  const cooldowns = new Cooldowns();
  let nowMs = 0;
  return Array.from({ length: times }, () => {
    const rest = (cooldowns.fail(KEY, error(code), nowMs)?.untilMs ?? nowMs) - nowMs;
    nowMs += rest;
    return rest;
  });
}

describe("duration of a cooldown", () => {
  test.each(["rate-limited", "overloaded", "timeout", "unreachable", "truncated", "server"] as const)(
    "%s: 30 s, 1 min, 5 min at most",
    (code) => {
      expect(rests(code, 5)).toEqual([30_000, MINUTE, 5 * MINUTE, 5 * MINUTE, 5 * MINUTE]);
    },
  );

  test.each(["unauthorized", "not-found"] as const)("%s: 10 to 60 min", (code) => {
    expect(rests(code, 5)).toEqual([10 * MINUTE, 20 * MINUTE, 40 * MINUTE, HOUR, HOUR]);
  });

  test("billing: 5 h, doubled up to 24 h", () => {
    expect(rests("billing", 5)).toEqual([5 * HOUR, 10 * HOUR, 20 * HOUR, 24 * HOUR, 24 * HOUR]);
  });

  test.each(["aborted", "denied", "refused", "filtered", "invalid-request", "context-overflow", "output-limit"] as const)(
    "%s causes no cooldown",
    (code) => {
      expect(rests(code, 1)).toEqual([0]);
    },
  );

  test("a delay requested by the provider applies, shorter or longer", () => {
    const cooldowns = new Cooldowns();
    cooldowns.fail(KEY, error("rate-limited", { type: "after", delayMs: 2_000 }), 0);
    expect(cooldowns.find(KEY, 1_999)).toMatchObject({ reason: "rate-limited", demanded: true });
    expect(cooldowns.find(KEY, 2_000)).toBeUndefined();
    cooldowns.fail(KEY, error("rate-limited", { type: "after", delayMs: HOUR }), 2_000);
    expect(cooldowns.find(KEY, HOUR)).toBeDefined();
  });
});

describe("scope of a cooldown", () => {
  test("the credential with this model, and no other", () => {
    const cooldowns = new Cooldowns();
    cooldowns.fail(KEY, error("rate-limited"), 0);
    expect(cooldowns.find(KEY, 1)).toBeDefined();
    expect(cooldowns.find(OTHER_MODEL, 1)).toBeUndefined();
    expect(cooldowns.find(OTHER_CREDENTIAL, 1)).toBeUndefined();
  });

  test.each([
    ["billing", 402, true],
    ["unauthorized", 401, true],
    ["unauthorized", 403, false],
    ["not-found", 404, false],
  ] as const)("%s (%i) concerns all models of the credential: %s", (code, status, all) => {
    const cooldowns = new Cooldowns();
    cooldowns.fail(KEY, error(code, { type: "never" }, status), 0);
    expect(cooldowns.find(OTHER_MODEL, 1) !== undefined).toBe(all);
    expect(cooldowns.find(OTHER_CREDENTIAL, 1)).toBeUndefined();
  });

  test("two reasons count separately, and the longer cooldown is reported", () => {
    const cooldowns = new Cooldowns();
    cooldowns.fail(KEY, error("rate-limited"), 0);
    cooldowns.fail(KEY, error("unauthorized"), 0);
    expect(cooldowns.find(KEY, 1)).toMatchObject({ reason: "unauthorized", class: "permanent", untilMs: 10 * MINUTE });
    expect(cooldowns.fail(KEY, error("timeout"), 0)?.untilMs).toBe(30_000);
  });
});

test("lists all active cooldowns, longest first, and no expired one", () => {
  const cooldowns = new Cooldowns();
  cooldowns.fail(KEY, error("rate-limited"), 0);
  cooldowns.fail(OTHER_CREDENTIAL, error("unauthorized", { type: "never" }, 401), 0);
  expect(cooldowns.list(1)).toEqual([
    { provider: "house", credential: "home", reason: "unauthorized", class: "permanent", untilMs: 10 * MINUTE, demanded: false },
    { ...KEY, reason: "rate-limited", class: "transient", untilMs: 30_000, demanded: false },
  ]);
  expect(cooldowns.list(30_000)).toHaveLength(1);
  expect(cooldowns.list(HOUR)).toEqual([]);
});

test("an answer resets the failures, and so does a day", () => {
  const cooldowns = new Cooldowns();
  cooldowns.fail(KEY, error("rate-limited"), 0);
  cooldowns.succeed(KEY);
  expect(cooldowns.find(KEY, 1)).toBeUndefined();
  expect(cooldowns.fail(KEY, error("rate-limited"), 0)?.untilMs).toBe(30_000);
  expect(cooldowns.fail(KEY, error("rate-limited"), 30_000)?.untilMs).toBe(30_000 + MINUTE);
  expect(cooldowns.fail(KEY, error("rate-limited"), 90_000 + 24 * HOUR)?.untilMs).toBe(90_000 + 24 * HOUR + 30_000);
});
