import { access } from "node:fs/promises";
import path from "node:path";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { maintenanceBounds } from "./maintenance-bounds.ts";

const DAY_MS = 86_400_000;
const NOW_MS = Date.UTC(2026, 2, 10, 12);
const SLICE_MS = 1000;

/** Timers of maintenance and other upkeep, fired by the test. */
class UpkeepClock {
  nowMs = NOW_MS;
  readonly timers = new Set<{ readonly delayMs: number; readonly callback: () => void }>();
  readonly now = (): number => this.nowMs;
  readonly monotonic = (): number => realClock.monotonic();
  readonly schedule = (delayMs: number, callback: () => void): Disposable => {
    if (delayMs !== SLICE_MS && delayMs < 60_000) return realClock.schedule(delayMs, callback);
    const timer = { delayMs, callback };
    this.timers.add(timer);
    return { [Symbol.dispose]: () => void this.timers.delete(timer) };
  };

  fire(wanted: (delayMs: number) => boolean): void {
    const due = Array.from(this.timers).filter(({ delayMs }) => wanted(delayMs));
    for (const timer of due) if (this.timers.delete(timer)) timer.callback();
  }
}

let clock: UpkeepClock;
beforeEach(() => {
  clock = new UpkeepClock();
});

type Maintenance = FactotumConfig["session"]["maintenance"];

let running: TestGateway | undefined;
afterEach(async () => running?.[Symbol.asyncDispose]());

async function start(maintenance: Maintenance, options: Partial<Parameters<typeof startTestGateway>[0]> = {}): Promise<TestGateway> {
  running = await startTestGateway({
    clock,
    patch: (config) => ({ ...config, session: { ...config.session, maintenance } }),
    ...options,
  });
  return running;
}

/** One pass; returns the number of rows read in each of its slices. */
async function pass({ gateway, store }: TestGateway): Promise<readonly number[]> {
  const rows: number[] = [];
  const slice = async (wanted: (delayMs: number) => boolean): Promise<void> => {
    const before = store.metrics().rowsRead;
    clock.fire(wanted);
    await gateway.engine.idle();
    rows.push(store.metrics().rowsRead - before);
  };
  await slice((delayMs) => delayMs !== SLICE_MS);
  while ([...clock.timers].some(({ delayMs }) => delayMs === SLICE_MS)) await slice((delayMs) => delayMs === SLICE_MS);
  return rows;
}

const name = (index: number): string => String(index).padStart(3, "0");

/** Sessions of one day each, the oldest first. */
async function fill({ store }: TestGateway, count: number): Promise<void> {
  for (let index = 0; index < count; index += 1)
    await store.createSession(
      { key: `agent:main:http:${name(index)}`, sessionId: `s-${name(index)}`, agentId: "main", isPrivate: true, displayName: "x" },
      { nowMs: NOW_MS - (count - index) * DAY_MS },
    );
}

async function left({ store }: TestGateway): Promise<string[]> {
  const { items } = await store.listSessions({ limit: 1000 });
  return items.map(({ sessionId }) => sessionId).toSorted();
}

const names = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, index) => `s-${name(from + index)}`);
const logged = ({ logger }: TestGateway): string[] => logger.lines.filter((line) => line.includes("Old conversations"));
const exists = async (file: string): Promise<boolean> =>
  access(file).then(
    () => true,
    () => false,
  );

test("durations are parsed, and no limit means no work", () => {
  expect(maintenanceBounds({ mode: "enforce" })).toBeUndefined();
  expect(maintenanceBounds({ mode: "warn", pruneAfter: "36h", maxEntries: 3, maxDiskBytes: 0 })).toEqual({
    mode: "warn",
    maxAgeMs: 36 * 3_600_000,
    maxSessions: 3,
    maxBytes: 0,
  });
});

test("sessions idle for too long are deleted, with media and plain file; active ones, and the main session, stay", async () => {
  const gateway = await start({ mode: "enforce", pruneAfter: "30d" });
  const { store, home } = gateway;
  await fill(gateway, 40);
  await store.createSession(
    { key: "agent:main:main", sessionId: "main", agentId: "main", isPrivate: true, displayName: "x" },
    { nowMs: NOW_MS - 99 * DAY_MS },
  );
  await store.appendEntry("s-000", { type: "notice", level: "info", text: "hello" }, { timestampMs: NOW_MS - 40 * DAY_MS });
  await store.flushCopies();
  const facts = { kind: "file", mimeType: "text/plain", extension: "txt", untrusted: false, sessionKey: "agent:main:http:000" } as const;
  const media = await gateway.gateway.engine.parts.media.store.put(Buffer.from("x"), { ...facts, sessionId: "s-000" });
  const plain = path.join(home, "agents", "main", "sessions", "s-000.jsonl");
  expect([await exists(media.path), await exists(plain)]).toEqual([true, true]);
  // It is as old as any, but was imported recently.
  const old = await store.readSession("agent:main:http:005");
  if (old === undefined) throw new Error("there is no such session");
  const moved = { ...old, key: "agent:main:http:in", sessionId: "s-in", importedAtMs: NOW_MS - DAY_MS, entries: [] };
  await store.importSession(moved);
  using _watch = gateway.gateway.engine.parts.events.subscribe("agent:main:http:003", () => undefined);
  await pass(gateway);
  // The one that ended exactly 30 days ago is too old, too.
  expect(await left(gateway)).toEqual(["main", "s-003", "s-in", ...names(11, 40)].toSorted());
  expect([await exists(media.path), await exists(plain)]).toEqual([false, false]);
  expect(logged(gateway)).toMatchObject([expect.stringContaining('"sessions":10,"conversations":0')]);
  expect((await store.counts()).sessions).toBe(32);
});

test("ended conversations are deleted by their own age, even if their session continues", async () => {
  const gateway = await start({ mode: "enforce", pruneAfter: "30d" });
  const { store } = gateway;
  const key = "agent:main:main";
  for (const [sessionId, daysAgo] of [
    ["d-90", 90],
    ["d-40", 40],
    ["d-20", 20],
    ["d-0", 0],
  ] as const) {
    const nowMs = NOW_MS - daysAgo * DAY_MS;
    await store.createSession({ key, sessionId, agentId: "main", isPrivate: true, displayName: "x" }, { nowMs });
    if (daysAgo !== 90) await store.resetSession(key, { sessionId, isPrivate: true, nowMs });
    await store.appendEntry(sessionId, { type: "notice", level: "info", text: "hello" }, { timestampMs: nowMs });
  }
  // It began long ago, but was active recently.
  await store.appendEntry("d-40", { type: "notice", level: "info", text: "late" }, { timestampMs: NOW_MS - 2 * DAY_MS });
  await pass(gateway);
  const { items } = await store.listConversations({ limit: 10 });
  expect(items.map(({ sessionId }) => sessionId)).toEqual(["d-40", "d-20", "d-0"]);
  expect(await left(gateway)).toEqual(["d-0"]);
});

test("of too many the longest idle are deleted, a page of rows at a time; those with activity within a day stay, regardless of their number", async () => {
  const gateway = await start({ mode: "enforce", maxEntries: 40 });
  await fill(gateway, 160);
  const rows = await pass(gateway);
  expect(await left(gateway)).toEqual(names(120, 160));
  expect(rows.length).toBeGreaterThan(3);
  // A page of sessions, and for each deleted one its conversations, its position and the counts.
  for (const count of rows) expect(count).toBeLessThanOrEqual(51 + 50 * 12);
  clock.nowMs = NOW_MS - 150 * DAY_MS;
  for (let index = 0; index < 10; index += 1)
    await gateway.store.patchSession(`agent:main:http:${name(150 + index)}`, { label: `l${index}` }, { nowMs: clock.nowMs });
  await gateway.store.createSession(
    { key: "agent:main:http:new", sessionId: "s-new", agentId: "main", isPrivate: true, displayName: "x" },
    { nowMs: clock.nowMs },
  );
  await pass(gateway);
  expect(await left(gateway)).toHaveLength(41);
});

test("over the size limit ended conversations are deleted before sessions, the oldest first, down to four fifths", async () => {
  const first = await start({ mode: "enforce" });
  const { store } = first;
  const text = "It was a long conversation about nothing in particular. ".repeat(4000);
  const write = async (sessionId: string, nowMs: number): Promise<void> => {
    await store.appendEntry(sessionId, { type: "notice", level: "info", text }, { timestampMs: nowMs });
  };
  const key = "agent:main:main";
  await fill(first, 4);
  await write("s-000", NOW_MS - 4 * DAY_MS);
  for (let day = 0; day < 8; day += 1) {
    const nowMs = NOW_MS - (8 - day) * DAY_MS;
    await store.createSession({ key, sessionId: `d-${day}`, agentId: "main", isPrivate: true, displayName: "x" }, { nowMs });
    if (day > 0) await store.resetSession(key, { sessionId: `d-${day}`, isPrivate: true, nowMs });
    await write(`d-${day}`, nowMs);
  }
  await store.flushCopies();
  // The size of the plain files is stored with the next commit.
  await store.patchSession(key, { label: "main" }, { nowMs: NOW_MS });
  const { items } = await store.listConversations({ limit: 100 });
  const usedBytes = (await store.usedBytes()) + items.reduce((sum, { copyBytes }) => sum + copyBytes, 0);
  const one = 2 * text.length;
  expect(usedBytes).toBeGreaterThan(9 * one);
  await first.stop();
  // A fifth of the limit, and half a conversation, must be freed: three of them.
  const maxDiskBytes = Math.floor(usedBytes - one / 2);
  const second = await start({ mode: "enforce", maxDiskBytes }, { home: first.home });
  await pass(second);
  const kept = await second.store.listConversations({ limit: 100 });
  expect(kept.items.map(({ sessionId }) => sessionId).filter((id) => id.startsWith("d"))).toEqual(["d-3", "d-4", "d-5", "d-6", "d-7"]);
  expect(await left(second)).toHaveLength(5);
  // Their plain files are then not kept for thirty days.
  const folder = path.join(first.home, "agents", "main", "sessions");
  expect(await exists(path.join(folder, "d-3.jsonl"))).toBe(true);
  expect(second.logger.lines.filter((line) => line.includes("Background work failed"))).toEqual([]);
  await second.stop();
  const third = await start({ mode: "enforce", maxDiskBytes: one }, { home: first.home });
  await pass(third);
  // Nothing removable is left: the main session stays, regardless of its size.
  expect((await third.store.listConversations({ limit: 100 })).items.map(({ sessionId }) => sessionId)).toEqual(["d-7"]);
  expect((await third.store.usedBytes()) / one).toBeLessThan(2);
});

test("the mode warn removes nothing, and reports once how much it would be", async () => {
  const gateway = await start({ mode: "warn", pruneAfter: "30d", maxEntries: 10, maxDiskBytes: 0 });
  await fill(gateway, 40);
  await pass(gateway);
  await pass(gateway);
  expect(await left(gateway)).toEqual(names(0, 40));
  expect(logged(gateway)).toMatchObject([expect.stringMatching(/"warn".*"sessions":40,/)]);
});

describe("the pause between passes", () => {
  const rests = (): number[] => [...clock.timers].map(({ delayMs }) => delayMs).filter((delayMs) => delayMs !== 60_000);

  test("doubles up to an hour while there is nothing to do, and is short again after work", async () => {
    const gateway = await start({ mode: "enforce", maxEntries: 10 });
    const seen: number[] = [];
    for (let count = 0; count < 8; count += 1) {
      await pass(gateway);
      seen.push(...rests());
    }
    expect(seen).toEqual([120, 240, 480, 960, 1920, 3600, 3600, 3600].map((seconds) => seconds * 1000));
    await fill(gateway, 12);
    await pass(gateway);
    expect(await left(gateway)).toHaveLength(10);
    expect(rests()).toEqual([]);
  });

  test("a failed pass is logged and abandoned; the next one does the work", async () => {
    const gateway = await start({ mode: "enforce", maxEntries: 10 });
    await fill(gateway, 12);
    const { store } = gateway.gateway.engine.parts;
    const counts = store.counts.bind(store);
    Object.assign(store, { counts: async () => Promise.reject(new Error("the disk is on fire")) });
    await pass(gateway);
    Object.assign(store, { counts });
    expect(gateway.logger.lines.filter((line) => line.includes("the disk is on fire"))).toHaveLength(1);
    expect(rests()).toEqual([120_000]);
    await pass(gateway);
    expect(await left(gateway)).toHaveLength(10);
  });
});

test("a session with a running turn is never removed, and continues", async () => {
  await using server = await startAnthropicServer();
  server.respond(() => textReply("Done."));
  const platform = new TestPlatform();
  const gateway = await start(
    { mode: "enforce", pruneAfter: "1s", maxEntries: 1, maxDiskBytes: 0 },
    {
      platform,
      accountConfig: { groups: { "*": { requireMention: false } } },
      patch: (config) => {
        const base = withModel(server.baseUrl)(config);
        return {
          ...base,
          session: { ...base.session, maintenance: { mode: "enforce", pruneAfter: "1s", maxEntries: 1, maxDiskBytes: 0 } },
        };
      },
    },
  );
  const gate = server.hold();
  const origin = { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: "g" } };
  await platform.say(platform.message("work", { origin }));
  await server.nextRequest();
  await fill(gateway, 3);
  clock.nowMs += 2 * DAY_MS;
  const key = "agent:main:test:group:g";
  const before = await gateway.store.readSession(key);
  await expect
    .poll(async () => {
      // The run's own limits are longer.
      clock.fire((delayMs) => delayMs === 60_000 || delayMs === SLICE_MS);
      return left(gateway);
    })
    .toEqual([before?.sessionId]);
  gate.open();
  await platform.waitForSends(1);
  await gateway.gateway.engine.idle();
  expect(await gateway.store.readSession(key)).toMatchObject({ usage: { calls: 1 } });
});
