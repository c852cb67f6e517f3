import { withoutUndefined } from "@factotum/agent-contract";
import type { RunKind, Usage } from "@factotum/agent-contract";
import type { SpendConfig } from "@factotum/config";
import type { SpendCharge } from "@factotum/store";
import { beforeEach, describe, expect, test } from "vitest";
import { createMemoryLogger } from "../../test/gateway-harness.ts";
import { SpendGuard } from "./spend-guard.ts";

const HOUR_MS = 3_600_000;
let nowMs: number;
let rows: SpendCharge[];
let pauses: string[];
beforeEach(() => {
  nowMs = Date.UTC(2026, 2, 1, 8);
  rows = [];
  pauses = [];
});

function createGuard(config: Partial<SpendConfig> = {}): SpendGuard {
  const guard = new SpendGuard({
    caps: () => ({ unattended: { tokensPerDay: 1000, usdPerDay: 2 }, perCause: {}, perAgent: {}, ...config }),
    store: {
      addSpend: async (charge) => void rows.push(charge),
      readTreeSpend: async () => ({ tokens: 0, costUsd: 0 }),
      readSpend: async (day, agentId) => rows.filter((row) => row.day === day && row.agentId === agentId),
    },
    clock: { now: () => nowMs, monotonic: () => nowMs, schedule: () => ({ [Symbol.dispose]: () => undefined }) },
    logger: createMemoryLogger(),
    timeZoneOf: () => "UTC",
    dayOf: (_agent, time) => new Date(time).toISOString().slice(0, 10),
  });
  guard.events.on("cause-paused", ({ kind, message }) => pauses.push(`${kind}: ${message}`));
  return guard;
}

const usage = (total: number, costUsd?: number): Usage => ({
  input: total,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  total,
  ...withoutUndefined({ costUsd }),
});

/** One call; `undefined` for a failed one. False if it was refused. */
async function call(guard: SpendGuard, kind: RunKind, used: Usage | undefined): Promise<boolean> {
  const reservation = await guard.reserve({ agentId: "main", kind }, 10);
  if (reservation.type === "reserved") {
    reservation.settle(used ?? usage(0));
    guard.recordOutcome({ agentId: "main", kind }, used === undefined ? "failed" : "answered");
  }
  return reservation.type === "reserved";
}

describe("a refused call", () => {
  test("says how long it is until midnight, when its cap is reset", async () => {
    const guard = createGuard({ perCause: { user: { tokensPerDay: 50 } } });
    expect(await call(guard, "user", usage(60))).toBe(true);
    nowMs += 15 * HOUR_MS + 1;
    expect(await guard.reserve({ agentId: "main", kind: "user" }, 10)).toMatchObject({ type: "refused", retryAfterMs: HOUR_MS });
    nowMs += HOUR_MS;
    expect(await call(guard, "user", usage(60))).toBe(true);
  });

  test("gives no time after failures, since it is unknown when the model works again", async () => {
    const guard = createGuard();
    for (let failures = 0; failures < 3; failures += 1) expect(await call(guard, "cron", undefined)).toBe(true);
    const refused = await guard.reserve({ agentId: "main", kind: "cron" }, 10);
    expect(refused.type).toBe("refused");
    expect(refused).not.toHaveProperty("retryAfterMs");
  });
});

test("an implausible usage pauses only runs with a cap", async () => {
  const guard = createGuard();
  expect(await call(guard, "user", { ...usage(1e308, 1e308), total: Number.POSITIVE_INFINITY, costUsd: Number.POSITIVE_INFINITY })).toBe(
    true,
  );
  expect(await call(guard, "user", usage(10))).toBe(true);
  expect(await call(guard, "cron", { ...usage(1e308), total: Number.POSITIVE_INFINITY })).toBe(true);
  expect(await call(guard, "cron", usage(10))).toBe(false);
  expect(pauses).toHaveLength(1);
});

describe("the caps of unattended work", () => {
  test("at the cap the next unattended call is refused before it is sent, a person's is not, and the owner is notified once", async () => {
    const guard = createGuard();
    expect(await call(guard, "heartbeat", usage(600))).toBe(true);
    expect(await call(guard, "cron", usage(600))).toBe(true);
    expect(await call(guard, "heartbeat", usage(1))).toBe(false);
    expect(await call(guard, "cron", usage(1))).toBe(false);
    expect(await call(guard, "user", usage(100_000))).toBe(true);
    expect(pauses).toEqual([
      "heartbeat: spend.unattended is used up for today: 1,200 of 1,000 tokens, $0.00 of $2.00. Unattended runs of the agent main resume at midnight (UTC).",
    ]);
  });

  test("cost counts as well as tokens", async () => {
    const guard = createGuard();
    expect(await call(guard, "hook", usage(1, 2.5))).toBe(true);
    expect(await call(guard, "hook", usage(1))).toBe(false);
  });

  test("concurrent calls cannot exceed the cap together", async () => {
    const guard = createGuard({ unattended: { tokensPerDay: 100, usdPerDay: 2 } });
    const reservations = await Promise.all(Array.from({ length: 20 }, async () => guard.reserve({ agentId: "main", kind: "cron" }, 30)));
    expect(reservations.filter(({ type }) => type === "reserved")).toHaveLength(4);
  });

  test("usage counts after a restart, and is reset at midnight", async () => {
    expect(await call(createGuard(), "cron", usage(1000))).toBe(true);
    const guard = createGuard();
    expect(await call(guard, "cron", usage(1))).toBe(false);
    nowMs += 16 * HOUR_MS;
    expect(await call(guard, "cron", usage(1))).toBe(true);
  });

  test("a cause and an agent can have separate caps; people are capped only explicitly", async () => {
    const guard = createGuard({ perCause: { user: { tokensPerDay: 50 } }, perAgent: { main: { tokensPerDay: 5 } } });
    expect(await call(guard, "user", usage(50))).toBe(true);
    expect(await call(guard, "user", usage(1))).toBe(false);
    expect(await call(guard, "cron", usage(5))).toBe(true);
    expect(await call(guard, "cron", usage(1))).toBe(false);
  });
});

describe("consecutive failures", () => {
  test("an unattended cause on a failing provider makes three calls in a day, and continues once a person's call works", async () => {
    const guard = createGuard();
    let sent = 0;
    for (let beat = 0; beat < 48; beat += 1) {
      if (await call(guard, "heartbeat", undefined)) sent += 1;
      nowMs += HOUR_MS / 2;
    }
    expect(sent).toBe(3);
    expect(pauses).toHaveLength(1);
    expect(await call(guard, "user", undefined)).toBe(true);
    expect(await call(guard, "heartbeat", undefined)).toBe(false);
    expect(await call(guard, "user", usage(1))).toBe(true);
    expect(await call(guard, "heartbeat", usage(1))).toBe(true);
  });
});
