import { mkdir, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { NOW_MS, OWNER, sampleEnd, sampleMessage, sampleOutbound, sampleSession, sampleTurn } from "../../../contract/samples.ts";
import { createSqliteFixture } from "../../../test/open-test-store.ts";
import type { SqliteFixture } from "../../../test/open-test-store.ts";
import { openSqliteStore } from "../../index.ts";
import type { SqliteStore, StoreRecovery } from "../../index.ts";

const PAGE_BYTES = 4096;

let fixture: SqliteFixture;
let stores: SqliteStore[];
let recoveries: StoreRecovery[];
let structureDamages: number;
beforeEach(async () => {
  fixture = await createSqliteFixture();
  [stores, recoveries, structureDamages] = [[], [], 0];
});
afterEach(async () => {
  for (const store of stores) await store.close();
  await fixture.remove();
});

async function open(): Promise<SqliteStore> {
  const store = await openSqliteStore({
    ...fixture.options,
    onStructureDamage: () => (structureDamages += 1),
    onRecovery: (recovery) => recoveries.push(recovery),
  });
  stores.push(store);
  return store;
}

/** A conversation with one completed turn. */
async function talk(store: SqliteStore, name: string, text = "x".repeat(1500)): Promise<void> {
  const { input } = await store.acceptInput(sampleMessage(name, { text }), { admission: OWNER, receivedAtMs: NOW_MS });
  await store.startTurn(sampleTurn(`t-${name}`, [input.id], { session: sampleSession({ key: `agent:main:${name}`, sessionId: name }) }));
  await store.endTurn(sampleEnd(`t-${name}`));
}

async function sessionsOf(store: SqliteStore): Promise<readonly string[]> {
  const { items } = await store.listSessions({ limit: 200 });
  return items.map(({ key }) => key.replace("agent:main:", "")).toSorted();
}

/** Overwrites a page of the closed database, like a failing disk. */
async function wreckPage(page: number): Promise<void> {
  const bytes = await readFile(fixture.file);
  await writeFile(fixture.file, bytes.fill(0x5a, (page - 1) * PAGE_BYTES, page * PAGE_BYTES));
}

function rootPage(name: string): number {
  const connection = new DatabaseSync(fixture.file);
  try {
    return Number(connection.prepare("SELECT rootpage FROM sqlite_schema WHERE name = ?").get(name)?.["rootpage"]);
  } finally {
    connection.close();
  }
}

/** Removes the plain files, so that a recovery cannot restore the lost entries from them. */
async function removeCopies(): Promise<void> {
  await rm(dirname(fixture.copyPath("any")), { recursive: true });
}

const names = Array.from({ length: 30 }, (_, index) => `s${String(index).padStart(2, "0")}`);

describe("a database whose structure is damaged", () => {
  test("recovers everything from behind a broken index", async () => {
    const store = await open();
    for (const name of names) await talk(store, name);
    await store.close();
    await wreckPage(rootPage("sessions_by_activity"));
    const broken = await open();
    await broken.listSessions({ limit: 5 }).catch(() => undefined);
    expect(structureDamages).toBe(1);
    await broken.close();

    const again = await open();
    expect(recoveries).toMatchObject([{ isComplete: true }]);
    expect(recoveries[0]?.salvagedRows).toBeGreaterThan(names.length);
    expect(await sessionsOf(again)).toEqual(names);
    expect(await again.readContext("s07")).toHaveLength((await again.readContext("s08")).length);
    expect((await again.counts()).sessions).toBe(names.length);
    // The repeated message is still known.
    expect((await again.acceptInput(sampleMessage("s07"), { admission: OWNER, receivedAtMs: NOW_MS })).type).toBe("duplicate");
    await talk(again, "new");
    const folder = recoveries[0]?.damagedFolder ?? "";
    expect(await readdir(folder)).toContain("factotum.sqlite");
    expect((await stat(folder)).mode & 0o077).toBe(0);
  });

  test("recovers the rows around an unreadable page, and the rest from the last snapshot", async () => {
    const store = await open();
    for (const name of names.slice(0, 20)) await talk(store, name);
    expect(await store.snapshot()).toEqual([]);
    fixture.clock.nowMs += 1000;
    for (const name of names.slice(20)) await talk(store, name);
    await store.close();
    await removeCopies();
    // The root of the table: without it the rows of all sessions that are not in the snapshot are unreadable.
    await wreckPage(rootPage("sessions"));

    const broken = await open();
    await broken.listSessions({ limit: 5 }).catch(() => undefined);
    await broken.close();
    const again = await open();
    expect(recoveries).toMatchObject([{ isComplete: false, snapshotAtMs: NOW_MS, fromCopies: { rebuiltKeys: { length: 10 } } }]);
    // Its transcript is still readable.
    expect(await sessionsOf(again)).toEqual(names);
    expect((await again.readContext("s23")).length).toBeGreaterThan(0);
    expect((await again.readContext("s03")).length).toBeGreaterThan(0);
  });

  test("repeats nothing: unfinished work of a snapshot becomes a dead letter unless the damaged file has it", async () => {
    const store = await open();
    await talk(store, "done");
    await store.acceptInput(sampleMessage("waiting"), { admission: OWNER, receivedAtMs: NOW_MS });
    await store.addOutbound([sampleOutbound("key")]);
    await store.snapshot();
    await store.close();
    await wreckPage(rootPage("inbox"));
    await wreckPage(rootPage("outbox"));
    const broken = await open();
    await broken.listInputs({ state: "waiting", limit: 5 }).catch(() => undefined);
    await broken.close();

    const again = await open();
    expect(recoveries).toHaveLength(1);
    expect((await again.listInputs({ state: "waiting", limit: 5 })).items).toEqual([]);
    expect(await again.listPendingOutbound({ limit: 5 })).toEqual([]);
    // The input, the reply of the turn, and the message.
    const { items } = await again.listDeadLetters({ limit: 5 });
    expect(items.map(({ reason }) => reason)).toEqual(Array.from({ length: 3 }, () => expect.stringContaining("restored")));
  });

  test("keeps unfinished work that the damaged file still has", async () => {
    const store = await open();
    await store.snapshot();
    await store.acceptInput(sampleMessage("waiting"), { admission: OWNER, receivedAtMs: NOW_MS });
    await talk(store, "done");
    await store.close();
    await wreckPage(rootPage("sessions_by_activity"));
    const broken = await open();
    await broken.listSessions({ limit: 5 }).catch(() => undefined);
    await broken.close();
    const again = await open();
    expect((await again.listInputs({ state: "waiting", limit: 5 })).items).toHaveLength(1);
  });

  test("starts empty without a readable page, a snapshot and a plain file, and keeps the damaged file", async () => {
    const store = await open();
    await talk(store, "a");
    await store.close();
    await removeCopies();
    await wreckPage(1);
    const before = await readFile(fixture.file);
    const again = await open();
    expect(recoveries).toMatchObject([{ loss: "structure", isEmpty: true, isComplete: false }]);
    expect(await sessionsOf(again)).toEqual([]);
    expect(again.damage.list()).toMatchObject([{ kind: "database", text: expect.stringContaining("I begin empty") as string }]);
    expect(await readFile(join(recoveries[0]?.damagedFolder ?? "", "factotum.sqlite"))).toEqual(before);
    await talk(again, "b");
    await again.close();
    expect(await sessionsOf(await open())).toEqual(["b"]);
    expect(recoveries).toHaveLength(1);
  });

  test("is restored from the snapshot without a readable page", async () => {
    const store = await open();
    await talk(store, "a");
    await store.snapshot();
    await talk(store, "b");
    await store.close();
    await removeCopies();
    await wreckPage(1);
    expect(await sessionsOf(await open())).toEqual(["a"]);
    expect(recoveries).toMatchObject([{ salvagedRows: 0, isComplete: false, snapshotAtMs: NOW_MS }]);
  });
});

describe("snapshots", () => {
  const snapshotTimes = async (): Promise<readonly number[]> => {
    const files = await readdir(join(fixture.folder, "snapshots"));
    return files.map((name) => Number(/^factotum-(\d+)-[0-9a-f-]{36}\.sqlite$/.exec(name)?.[1])).toSorted((a, b) => a - b);
  };

  test("are complete and private", async () => {
    const store = await open();
    expect(await store.lastSnapshotAtMs()).toBeUndefined();
    for (const name of names.slice(0, 3)) await talk(store, name);
    expect(await store.snapshot()).toEqual([]);
    expect(await store.lastSnapshotAtMs()).toBe(NOW_MS);
    const path = join(fixture.folder, "snapshots", `factotum-${NOW_MS}-${store.databaseId}.sqlite`);
    expect((await stat(path)).mode & 0o077).toBe(0);
    const connection = new DatabaseSync(path, { readOnly: true });
    expect(connection.prepare("SELECT count(*) AS count FROM sessions").get()).toEqual({ count: 3 });
    expect(connection.prepare("SELECT database_id FROM ownership").get()).toEqual({ database_id: store.databaseId });
    connection.close();
  });

  test("keeps the newest two and the first of each of the last two days", async () => {
    const HOUR_MS = 60 * 60_000;
    const store = await open();
    const start = Math.ceil(NOW_MS / (24 * HOUR_MS)) * 24 * HOUR_MS;
    for (let hour = 0; hour < 60; hour += 5) {
      fixture.clock.nowMs = start + hour * HOUR_MS;
      await store.snapshot();
    }
    expect((await snapshotTimes()).map((time) => (time - start) / HOUR_MS)).toEqual([25, 50, 55]);
    fixture.clock.nowMs = start + 60 * HOUR_MS;
    await store.snapshot();
    expect((await snapshotTimes()).map((time) => (time - start) / HOUR_MS)).toEqual([25, 50, 55, 60]);
  });

  test("detect changes since the newest one, even by an earlier process", async () => {
    const store = await open();
    await store.snapshot();
    expect(await store.hasChangedSinceSnapshot()).toBe(false);
    fixture.clock.nowMs += 1000;
    await store.createSession(sampleSession(), { nowMs: fixture.clock.nowMs });
    expect(await store.hasChangedSinceSnapshot()).toBe(true);
    await store.close();
    const next = await open();
    expect(await next.hasChangedSinceSnapshot()).toBe(true);
    await next.snapshot();
    expect(await next.hasChangedSinceSnapshot()).toBe(false);
  });

  test("removes unfinished snapshots of a killed process", async () => {
    const store = await open();
    await mkdir(join(fixture.folder, "snapshots"));
    await writeFile(join(fixture.folder, "snapshots", "unchecked.sqlite"), "half");
    await mkdir(join(fixture.folder, "recovering"));
    await store.removeUnfinished();
    expect(await readdir(join(fixture.folder, "snapshots"))).toEqual([]);
    expect(await readdir(fixture.folder)).not.toContain("recovering");
  });

  test("find damage before any query does, and keep the last sound one", async () => {
    const store = await open();
    for (const name of names) await talk(store, name);
    await store.snapshot();
    await store.close();
    await wreckPage(rootPage("requests_by_turn"));
    const broken = await open();
    expect(structureDamages).toBe(0);
    expect((await broken.snapshot()).length).toBeGreaterThan(0);
    expect(structureDamages).toBe(1);
    expect(await snapshotTimes()).toEqual([NOW_MS]);
    await broken.close();
    expect(await sessionsOf(await open())).toEqual(names);
    expect(recoveries).toMatchObject([{ loss: "structure", isComplete: true }]);
  });
});
