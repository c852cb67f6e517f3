import { randomInt } from "node:crypto";
import { stat } from "node:fs/promises";
import { DatabaseSync } from "node:sqlite";
import { setImmediate as nextTick } from "node:timers/promises";
import { messageId } from "@factotum/channel-contract";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import {
  importedSession,
  NOW_MS,
  OWNER,
  sampleEnd,
  sampleMessage,
  sampleOutbound,
  sampleSession,
  sampleTurn,
} from "../../contract/samples.ts";
import { sampleRequest } from "../../contract/requests.ts";
import { createSqliteFixture } from "../../test/open-test-store.ts";
import type { SqliteFixture } from "../../test/open-test-store.ts";
import { DamageLog } from "../damage/damage-log.ts";
import { connect } from "./connection/connection.ts";
import type { Database } from "./connection/database.ts";
import { assembleStore } from "./open-sqlite-store.ts";
import { MIGRATIONS } from "./connection/schema.ts";
import type { SqliteStore } from "./sqlite-store.ts";

/** Partial indexes hold only matching rows; the rows of a subquery are bounded by its own limit. */
const ALLOWED_SCANS =
  /^SCAN (\w+ USING (COVERING )?INDEX (turns_running|outbox_pending|outbox_given_up|conversations_behind|deleted_copies_to_rename)|CONSTANT ROW|\(subquery)/;

let fixture: SqliteFixture;
let database: Database;
let store: SqliteStore;
beforeEach(async () => {
  fixture = await createSqliteFixture();
  database = connect({ ...fixture.options, migrations: MIGRATIONS });
  store = assembleStore(database, fixture.options, new DamageLog(fixture.folder, fixture.options));
});
afterEach(async () => {
  await store.close();
  await fixture.remove();
});

const accept = (id: string): ReturnType<SqliteStore["acceptInput"]> =>
  store.acceptInput(sampleMessage(id), { admission: OWNER, receivedAtMs: NOW_MS });

test("a turn costs three commits", async () => {
  const before = store.metrics().commits;
  const { input } = await accept("1");
  await store.startTurn(sampleTurn("t1", [input.id]));
  await store.flushCopies();
  await store.endTurn(sampleEnd("t1"));
  await store.flushCopies();
  expect(store.metrics().commits - before).toBe(3);
});

test("a failed write leaves no trace in cached records when the rest of its transaction commits", async () => {
  const { input } = await accept("1");
  const started = await store.startTurn(sampleTurn("t1", [input.id]));
  expect(started.session.isPrivate).toBe(true);
  const turn = sampleTurn("t2", []);
  // The session is changed before the entry turns out to be unserialisable.
  const unreadable = { type: "message", message: { role: "user", content: [{ type: "text", text: 1n }], timestamp: 1 } };
  const failing = store.startTurn({ ...turn, touch: { ...turn.touch, endsPrivacy: true }, entries: [unreadable as never] });
  const other = accept("2");
  await expect(failing).rejects.toMatchObject({ name: "StoreError" });
  await other;
  expect(await store.readSession("agent:main:main")).toMatchObject({ isPrivate: true });
});

test("concurrent writes share commits, eight each", async () => {
  const before = store.metrics();
  await Promise.all(Array.from({ length: 64 }, (_, index) => accept(`${index}`)));
  expect(store.metrics().commits - before.commits).toBe(8);
  expect(store.metrics().writes - before.writes).toBe(64);
});

test("callers of a shared flush resume in order, one per event loop turn, and their next writes share a flush", async () => {
  const before = store.metrics().commits;
  let turn = 0;
  let counting = setImmediate(function count() {
    turn += 1;
    counting = setImmediate(count);
  });
  const told: number[] = [];
  const turns = await Promise.all(
    Array.from({ length: 8 }, async (_, index) => {
      await accept(`${index}`);
      told.push(index);
      const toldIn = turn;
      await accept(`${index} again`);
      return toldIn;
    }),
  );
  clearImmediate(counting);
  expect(new Set(turns).size).toBe(8);
  expect(told).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
  expect(store.metrics().commits - before).toBe(2);
});

const acceptOptimistic = (id: string): ReturnType<SqliteStore["acceptInputOptimistic"]> =>
  store.acceptInputOptimistic(sampleMessage(id), { admission: OWNER, receivedAtMs: NOW_MS });

test("an input accepted optimistically and its turn share one commit, which concurrent writes join", async () => {
  const other = connect({ ...fixture.options, migrations: MIGRATIONS });
  const before = store.metrics().commits;
  const accepted = await acceptOptimistic("1");
  const started = await store.startTurnOptimistic(sampleTurn("t1", [accepted.result.input.id]));
  const third = accept("2");
  expect(database.inTransaction).toBe(true);
  expect(other.get("SELECT count(*) AS count FROM inbox")).toEqual({ count: 0 });
  await accepted.committed;
  expect(other.get("SELECT count(*) AS count FROM inbox")).toEqual({ count: 2 });
  await Promise.all([started.committed, third]);
  expect(database.inTransaction).toBe(false);
  expect(store.metrics().commits - before).toBe(1);
  other.close();
});

test("no write is optimistic after a write that others wait for", async () => {
  let isTold = false;
  const waited = accept("1").then(() => (isTold = true));
  const { committed } = await acceptOptimistic("2");
  expect(isTold).toBe(true);
  await Promise.all([waited, committed]);
});

test("no commit holds more than eight writes, optimistic or not", async () => {
  const before = store.metrics();
  const written = await Promise.all(Array.from({ length: 20 }, async (_, index) => acceptOptimistic(`${index}`)));
  await Promise.all(written.map(({ committed }) => committed));
  const after = store.metrics();
  expect(after.writes - before.writes).toBe(20);
  expect(after.commits - before.commits).toBe(3);
});

test("a close commits optimistic writes while callers of the previous commit are resolved", async () => {
  const first = Promise.race(Array.from({ length: 8 }, async (_, index) => accept(`${index}`)));
  await first;
  const { result, committed } = await acceptOptimistic("ahead");
  await nextTick();
  expect(database.inTransaction).toBe(true);
  await store.close();
  await committed;
  const reopened = connect({ ...fixture.options, migrations: MIGRATIONS });
  expect(reopened.get("SELECT count(*) AS count FROM inbox")).toEqual({ count: 9 });
  expect(result.type).toBe("accepted");
  reopened.close();
});

test("a failed commit undoes all optimistic writes", async () => {
  const run = database.run.bind(database);
  const full = vi.spyOn(database, "run").mockImplementation((sql, ...values) => {
    if (sql === "COMMIT") throw Object.assign(new Error("database or disk is full"), { errcode: 13 });
    return run(sql, ...values);
  });
  const accepted = await acceptOptimistic("1");
  const started = await store.startTurnOptimistic(sampleTurn("t1", [accepted.result.input.id]));
  const other = accept("2");
  await expect(accepted.committed).rejects.toMatchObject({ code: "full" });
  await expect(started.committed).rejects.toMatchObject({ code: "full" });
  await expect(other).rejects.toMatchObject({ code: "full" });
  full.mockRestore();
  expect(database.inTransaction).toBe(false);
  expect((await store.listInputs({ state: "waiting", limit: 9 })).items).toEqual([]);
  expect(await store.readSession("agent:main:main")).toBeUndefined();
  expect(await store.readTurn("t1")).toBeUndefined();
  expect((await accept("1")).type).toBe("accepted");
});

test("plain copies and snapshots hold only committed data", async () => {
  const accepted = await acceptOptimistic("1");
  const started = await store.startTurnOptimistic(sampleTurn("t1", [accepted.result.input.id]));
  const commits = store.metrics().commits;
  const [problems] = await Promise.all([store.snapshot(), store.flushCopies()]);
  expect(problems).toEqual([]);
  await started.committed;
  expect(store.metrics().commits).toBeGreaterThan(commits);
  expect(await store.lastSnapshotAtMs()).toBe(fixture.clock.now());
});

test("a deferrable write joins the next commit, or commits alone after a delay", async () => {
  const charge = { day: "2026-03-01", agentId: "main", cause: "user" as const, calls: 1, tokens: 100 };
  const before = store.metrics();
  const shared = store.addSpend(charge, { mayWait: true });
  await Promise.all([shared, accept("1")]);
  expect(store.metrics()).toMatchObject({ commits: before.commits + 1, writes: before.writes + 2 });
  const alone = store.addSpend(charge, { mayWait: true });
  expect(store.metrics().commits).toBe(before.commits + 1);
  fixture.clock.fire();
  await alone;
  expect(store.metrics().commits).toBe(before.commits + 2);
  expect(await store.readSpend("2026-03-01", "main")).toMatchObject([{ calls: 2, tokens: 200 }]);
});

test("writes that all fail cost no commit", async () => {
  const before = store.metrics().commits;
  await Promise.allSettled([store.endTurn(sampleEnd("t1")), store.endTurn(sampleEnd("t2"))]);
  expect(store.metrics().commits).toBe(before);
});

test("a write that fails alone leaves nothing behind", async () => {
  await accept("1");
  await expect(store.endTurn(sampleEnd("t1"))).rejects.toMatchObject({ code: "not-found" });
  expect(database.inTransaction).toBe(false);
  expect((await accept("2")).type).toBe("accepted");
});

test("a checkpoint does not wait for another process that reads the database", async () => {
  await accept("1");
  using other = new DatabaseSync(fixture.file, { readOnly: true });
  other.exec("BEGIN");
  other.prepare("SELECT count(*) FROM inbox").get();
  await accept("2");
  fixture.clock.fire();
  const startedAt = performance.now();
  fixture.clock.fire();
  expect(performance.now() - startedAt).toBeLessThan(1000);
  other.exec("COMMIT");
  await accept("3");
  fixture.clock.fire();
  fixture.clock.fire();
  expect((await stat(`${fixture.file}-wal`)).size).toBe(0);
});

test("the log is checkpointed only when idle", async () => {
  const logBytes = async (): Promise<number> => (await stat(`${fixture.file}-wal`)).size;
  await accept("1");
  const grown = await logBytes();
  expect(grown).toBeGreaterThan(0);
  await accept("2");
  fixture.clock.fire();
  expect(await logBytes()).toBeGreaterThan(grown);
  fixture.clock.fire();
  expect(await logBytes()).toBe(0);
  expect(fixture.clock.timers.size).toBe(0);
  await accept("3");
  expect(fixture.clock.timers.size).toBe(1);
  await store.close();
  expect(fixture.clock.timers.size).toBe(0);
});

test("a write is not acknowledged before it is in the file", async () => {
  const other = connect({ ...fixture.options, migrations: MIGRATIONS });
  const writing = accept("1").then(() => other.get("SELECT count(*) AS count FROM inbox"));
  expect(other.get("SELECT count(*) AS count FROM inbox")).toEqual({ count: 0 });
  expect(await writing).toEqual({ count: 1 });
  other.close();
});

test("a full disk acknowledges nothing, and the store works again when there is space", async () => {
  await accept("0");
  const pages = database.get("PRAGMA page_count")?.["page_count"];
  database.execute(`PRAGMA max_page_count = ${String(pages)}`);
  const long = { text: "x".repeat(50_000) };
  const results = await Promise.allSettled([
    accept("1"),
    ...["2", "3"].map((id) => store.acceptInput(sampleMessage(id, long), { admission: OWNER, receivedAtMs: NOW_MS })),
  ]);
  for (const result of results) expect(result).toMatchObject({ status: "rejected", reason: { code: "full" } });
  expect((await store.listInputs({ state: "waiting", limit: 9 })).items).toHaveLength(1);
  database.execute("PRAGMA max_page_count = 1000000");
  expect((await accept("1")).type).toBe("accepted");
  expect(database.get("PRAGMA integrity_check")).toEqual({ integrity_check: "ok" });
});

test("a read-only store reports that it cannot write", async () => {
  database.execute("PRAGMA query_only = ON");
  await expect(accept("1")).rejects.toMatchObject({ code: "full" });
  database.execute("PRAGMA query_only = OFF");
  expect((await accept("1")).type).toBe("accepted");
});

test("no query scans a table, sorts without an index, or grows with rows it does not return", async () => {
  const { input } = await accept("1");
  await store.startTurn(sampleTurn("t1", [input.id]));
  await store.joinTurn("t1", { inputIds: [], entries: [], timestampMs: NOW_MS });
  await store.appendToTurn("t1", { entries: [], journal: [{ callId: "c", name: "ls", state: "started" }], timestampMs: NOW_MS });
  await store.endTurn(sampleEnd("t1", { requests: [sampleRequest(1)] }));
  await store.acceptInput(sampleMessage("1"), { admission: OWNER, receivedAtMs: NOW_MS, progress: { cursor: "1" } });
  await store.listInputs({ state: "waiting", limit: 2 });
  await store.listSessions({ limit: 2 });
  await store.listSessions({ agentId: "main", limit: 2 });
  await store.findSession({ key: "AGENT:main:main" });
  await store.findSession({ label: "x" });
  await store.listExpiredSessions(NOW_MS, 2);
  await store.listIdleSessions({ notAfterMs: NOW_MS, limit: 2 });
  await store.listConversations({ limit: 2 });
  await store.listConversations({ sessionKey: "agent:main:main", limit: 2 });
  await store.readTranscript("session-1", { limit: 2 });
  await store.readContext("session-1");
  await store.readRecentContext("session-1", { maxChars: 2, images: { maxChars: 2, text: "" } });
  await store.importSession(importedSession({ key: "agent:main:imported", sessionId: "imported", label: "x1" }));
  const entries = importedSession().entries;
  await store
    .importSession(importedSession({ key: "agent:main:broken", sessionId: "broken", entries }), { signal: AbortSignal.abort() })
    .catch(() => undefined);
  await store.readContext("session-1", { at: "e0000000001" });
  await store.readPrompt("session-1");
  await store.readPrompt("session-1", { hash: "hash-1", notAfterMs: NOW_MS });
  await store.findTurn("session-1", 1);
  await store.listRequests({ sessionId: "session-1", limit: 2 });
  await store.listRequests({ sessionId: "session-1", turnId: "t1", limit: 2 });
  await store.readRequest("r0000000001");
  await store.readJournal("t1");
  await store.listPendingOutbound({ limit: 2 });
  const [sent] = await store.addOutbound([sampleOutbound("sent", { state: "sending" })]);
  const receipt = { type: "accepted", messageIds: [messageId("m1")] } as const;
  const { target } = await store.settleOutbound(sent?.id ?? "", { type: "receipt", receipt }, { nowMs: NOW_MS });
  expect(await store.listSentMessage(target, "m1")).toHaveLength(1);
  await store.counts();
  await store.resumeTurns();
  await store.beginAttempt("t1");
  await store.maintain({ nowMs: NOW_MS });
  await store.createSession(sampleSession({ key: "agent:main:b", sessionId: "s2" }), { nowMs: NOW_MS });
  await store.deleteSession("agent:main:b", { nowMs: NOW_MS });
  const queries = database.statements.filter((sql) => /^\s*(SELECT|UPDATE|DELETE|INSERT)/.test(sql) && !sql.includes("sqlite_schema"));
  expect(queries.length).toBeGreaterThan(50);
  for (const sql of queries) {
    const plan = database.all(`EXPLAIN QUERY PLAN ${sql}`).map((row) => String(row["detail"]));
    const bad = plan.filter((step) => /^SCAN|TEMP B-TREE/.test(step) && !ALLOWED_SCANS.test(step));
    expect({ sql, bad }).toEqual({ sql, bad: [] });
  }
});

test("a store of any age does the same work for a turn", async () => {
  const rowsOf = async (id: string): Promise<number> => {
    const before = store.metrics().rowsRead;
    const { input } = await accept(id);
    await store.startTurn(sampleTurn(`t${id}`, [input.id], { session: sampleSession({ key: `agent:main:${id}`, sessionId: id }) }));
    await store.endTurn(sampleEnd(`t${id}`));
    await store.flushCopies();
    return store.metrics().rowsRead - before;
  };
  const young = await rowsOf("first");
  for (let index = 0; index < 40; index += 1) await rowsOf(`${index}-${randomInt(1e9)}`);
  expect(await rowsOf("last")).toBe(young);
});
