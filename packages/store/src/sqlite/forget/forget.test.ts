import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import {
  NOW_MS,
  ORIGIN,
  compactionEntry,
  sampleEnd,
  sampleMessage,
  sampleOutbound,
  samplePrompt,
  sampleSession,
  sampleTurn,
  userEntry,
} from "../../../contract/samples.ts";
import { createSqliteFixture, type SqliteFixture } from "../../../test/open-test-store.ts";
import { beginForgetting, listOldCopies, removeOldCopies, type ForgetRules, type JobRecord, type SqliteStore } from "../../index.ts";
import { FORGOTTEN_TABLES } from "./forgotten-tables.ts";

const CANARY = "CANARYWORD";
const OTHER = "agent:main:other";
const HOUR = 60 * 60_000;

let fixture: SqliteFixture;
beforeEach(async () => {
  fixture = await createSqliteFixture();
});
afterEach(() => fixture.remove());

const rules = (changes: Partial<ForgetRules> = {}): ForgetRules => ({
  atMs: NOW_MS + 2 * HOUR,
  isSession: () => false,
  isTime: () => false,
  isText: () => false,
  redact: (text) => text,
  ...changes,
});

/** One exchange that says the text. */
async function say(store: SqliteStore, id: string, text: string, key = "agent:main:main"): Promise<void> {
  const session = sampleSession({ key, sessionId: key === OTHER ? "session-2" : "session-1" });
  const atMs = NOW_MS + (text.includes(CANARY) ? HOUR : 0);
  const { input } = await store.acceptInput(sampleMessage(id, { text }), { admission: { owner: true, kind: "user" }, receivedAtMs: atMs });
  await store.startTurn(sampleTurn(id, [input.id], { session, entries: [userEntry(text)], startedAtMs: atMs }));
  const outbox = [sampleOutbound(`${id}:0`, { sessionKey: key, outbound: { type: "text", text: `reply to ${text}` } })];
  await store.endTurn(sampleEnd(id, { outbox, endedAtMs: atMs + 1 }));
}

/** An exchange before, one with the text, a summary, and one after; and another conversation, which quotes it. */
async function fill(store: SqliteStore): Promise<void> {
  await say(store, "t1", "before");
  await say(store, "t2", `says ${CANARY}`);
  const [, , first] = (await store.readTranscript("session-1", { limit: 10 })).items;
  await store.appendEntry("session-1", compactionEntry(first?.id ?? "", `They said ${CANARY}.`), { timestampMs: NOW_MS + HOUR });
  await say(store, "t3", "after");
  await say(store, "t4", "quotes QUOTEDLINE here", OTHER);
  const basis = JSON.stringify({ config: "x" });
  await store.savePrompt(samplePrompt({ basis }));
  await store.savePrompt(samplePrompt({ sessionId: "session-2", basis, system: { stable: `Notes: QUOTEDLINE`, session: "" } }));
}

async function texts(store: SqliteStore, sessionId: string): Promise<readonly string[]> {
  const { items } = await store.readTranscript(sessionId, { limit: 20 });
  return items.map((entry) => (entry.type === "message" ? JSON.stringify(entry.message.content) : entry.type));
}

async function forget(changes: Partial<ForgetRules>, copies: readonly string[] = []): Promise<ReadonlyMap<string, number>> {
  using work = beginForgetting({ folder: fixture.folder, rules: rules(changes), copies });
  work.commit();
  return work.counts;
}

test("every table of the store has a row that says what forgetting does to it", async () => {
  await (await fixture.open()).close();
  using database = new DatabaseSync(fixture.file);
  const tables = database
    .prepare("SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table' AND name NOT LIKE 'sqlite_%'")
    .all();
  expect(FORGOTTEN_TABLES.map(({ table }) => table).toSorted()).toEqual(tables.map(({ name }) => String(name)).toSorted());
});

test.each([
  ["a text", { isText: (text: string) => text.includes(CANARY) }],
  ["a time", { isTime: (atMs: number) => atMs >= NOW_MS + HOUR && atMs < NOW_MS + HOUR + 10 }],
])("%s goes with the turns and summaries that had it, and is in no byte of the files", async (_name, changes) => {
  let store = await fixture.open();
  await fill(store);
  await store.close();
  const counts = await forget(changes);
  expect(Object.fromEntries(counts)).toMatchObject({ turns: 1, "received messages": 1, "sent or waiting messages": 1 });
  expect((await readFile(fixture.file)).includes(CANARY)).toBe(false);
  store = await fixture.open();
  expect(await texts(store, "session-1")).toEqual([
    expect.stringContaining("before") as string,
    expect.stringContaining("answered in t1") as string,
    expect.stringContaining("after") as string,
    expect.stringContaining("answered in t3") as string,
  ]);
  expect(await store.readContext("session-1")).toHaveLength(4);
  expect(await texts(store, "session-2")).toHaveLength(2);
  expect(JSON.parse((await store.readPrompt("session-1"))?.basis ?? "")).toEqual({ config: "x", forgotten: true });
  expect(JSON.parse((await store.readPrompt("session-2"))?.basis ?? "")).toEqual({ config: "x" });
  // The plain file is written again, and links its entries.
  await store.flushCopies();
  const lines = (await readFile(fixture.copyPath("session-1"), "utf8")).trim().split("\n").slice(1);
  const records = lines.map((line) => JSON.parse(line) as { readonly id: string; readonly parentId: string | null });
  expect(records.map(({ parentId }) => parentId ?? undefined)).toEqual([undefined, ...records.slice(0, -1).map(({ id }) => id)]);
  expect(lines.join("\n")).not.toContain(CANARY);
  // What the platform delivers again stays forgotten.
  const again = await store.acceptInput(sampleMessage("t2", { text: CANARY }), {
    admission: { owner: true, kind: "user" },
    receivedAtMs: NOW_MS,
  });
  expect(again).toMatchObject({ type: "duplicate", input: { state: { type: "answered" }, message: { text: "" } } });
  expect(fixture.damages).toEqual([]);
  expect(await forget(changes).then((more) => [...more.values()].reduce((sum, one) => sum + one, 0))).toBe(0);
});

test("a text goes from branches that are not shown, and a session of which only branches are left goes as a whole", async () => {
  let store = await fixture.open();
  const branchBefore = async (key: string, sessionId: string): Promise<void> => {
    const [first] = (await store.readTranscript(sessionId, { limit: 10 })).items;
    await store.branchTranscript(sessionId, { before: first?.id ?? "", key, timestampMs: NOW_MS });
  };
  await say(store, "t1", `hidden ${CANARY}`);
  await branchBefore("b1", "session-1");
  await say(store, "t2", "shown");
  await say(store, "t3", `all ${CANARY}`, OTHER);
  await branchBefore("b2", "session-2");
  await say(store, "t4", `of it ${CANARY}`, OTHER);
  await store.close();
  await forget({ isText: (text) => text.includes(CANARY) });
  expect((await readFile(fixture.file)).includes(CANARY)).toBe(false);
  store = await fixture.open();
  expect(await texts(store, "session-1")).toEqual([
    expect.stringContaining("shown") as string,
    expect.stringContaining("answered in t2") as string,
  ]);
  expect(await store.readSession(OTHER)).toBeUndefined();
  expect(fixture.damages).toEqual([]);
});

test("a session goes as a whole, and what others quote of it is replaced", async () => {
  let store = await fixture.open();
  await fill(store);
  await store.close();
  await forget({ isSession: (key) => key === "agent:main:main", redact: (text) => text.replaceAll("QUOTEDLINE", "[forgotten]") });
  const bytes = await readFile(fixture.file);
  for (const word of [CANARY, "QUOTEDLINE", "answered in t1"]) expect(bytes.includes(word)).toBe(false);
  store = await fixture.open();
  expect(await store.readSession("agent:main:main")).toBeUndefined();
  expect(await texts(store, "session-2")).toEqual([
    expect.stringContaining("quotes [forgotten] here") as string,
    expect.stringContaining("answered in t4") as string,
  ]);
  expect(await store.readPrompt("session-2")).toMatchObject({
    system: { stable: "", session: "" },
    basis: expect.stringContaining('"forgotten":true') as string,
  });
  expect(fixture.damages).toEqual([]);
});

test("with a session go the sessions that it has begun, its jobs with their runs, and what channels noted of its chat", async () => {
  let store = await fixture.open();
  await fill(store);
  const job: JobRecord = {
    id: "j1",
    agentId: "main",
    spec: {
      name: "Remind",
      schedule: { type: "every", everyMs: HOUR },
      payload: { type: "message", text: CANARY },
    } as unknown as JobRecord["spec"],
    authority: { owner: true, sender: { id: "ou_1", isBot: false }, origin: ORIGIN, sessionKey: "agent:main:main" },
    createdAtMs: NOW_MS,
    scheduledAtMs: NOW_MS,
    failures: 0,
  };
  const jobs = [job, { ...job, id: "j2", authority: { ...job.authority, sessionKey: OTHER } }];
  for (const one of jobs) {
    await store.putJob(one);
    await store.claimOccurrences(one, [{ jobId: one.id, slotMs: NOW_MS, state: "done", attempt: 1, text: one.id }]);
  }
  const begun = {
    cron: "cron:j1:1",
    child: "agent:main:subagent:1",
    grandchild: "agent:main:subagent:2",
    stranger: "cron:j2:1",
  };
  const parents = { child: "agent:main:main", grandchild: begun.child };
  for (const [name, key] of Object.entries(begun)) {
    const parent = Object.entries(parents).find(([one]) => one === name)?.[1];
    const session = sampleSession({ key, sessionId: name, ...(parent === undefined ? {} : { spawnedBy: parent }) });
    await store.createSession(session, { nowMs: NOW_MS });
  }
  const account = { channel: "feishu", accountId: "default" };
  const chat = (id: string, expiresAtMs?: number) => ({
    type: "set" as const,
    key: `thread/${id}/1`,
    value: { type: "json" as const, json: id },
    ...(expiresAtMs === undefined ? {} : { expiresAtMs }),
  });
  const state = [chat("oc_1", NOW_MS + 9 * HOUR), chat("oc_10", NOW_MS + 9 * HOUR), { ...chat("oc_1"), key: "login" }];
  await store.commitProgress(account, { state });
  await store.close();
  await forget({ isSession: (key) => key === "agent:main:main" });
  store = await fixture.open();
  const { items } = await store.listSessions({ limit: 20 });
  expect(items.map(({ key }) => key).toSorted()).toEqual([OTHER, begun.stranger].toSorted());
  expect((await store.listJobs()).map(({ id }) => id)).toEqual(["j2"]);
  expect(await store.listOccurrences("j1", { limit: 9 })).toEqual([]);
  expect(await store.listOccurrences("j2", { limit: 9 })).toHaveLength(1);
  expect((await store.listAccountState(account, "")).map(({ key }) => key)).toEqual(["login", "thread/oc_10/1"]);
  expect(fixture.damages).toEqual([]);
});

test("with a session go the runs of its jobs that are gone, and their sessions, and with a time those of the jobs made then", async () => {
  let store = await fixture.open();
  await say(store, "t1", "before");
  /** A run of a job: in a session of its own, or as a turn of another session. */
  const run = async (id: string, key: string, madeBy: { readonly sessionKey: string; readonly atMs?: number }): Promise<void> => {
    const isOwn = key !== OTHER;
    const expiresAtMs = isOwn ? { expiresAtMs: NOW_MS + 9 * HOUR } : {};
    const admission = { owner: true, kind: "cron" as const, sessionKey: key, madeBy, ...expiresAtMs };
    const { input } = await store.acceptInput(sampleMessage(id, { text: `${CANARY} ${id}` }), { admission, receivedAtMs: NOW_MS });
    const session = sampleSession({ key, sessionId: isOwn ? id : "session-2", ...(isOwn ? { spawnedBy: madeBy.sessionKey } : {}) });
    await store.startTurn(sampleTurn(id, [input.id], { session, entries: [userEntry(`${CANARY} ${id}`)], startedAtMs: NOW_MS }));
    await store.endTurn(sampleEnd(id, { outbox: [sampleOutbound(`${id}:0`, { sessionKey: key })], endedAtMs: NOW_MS + 1 }));
  };
  const main = { sessionKey: "agent:main:main", atMs: NOW_MS - HOUR };
  await run("r1", "cron:gone:1", main);
  await run("r2", "hook:1", { sessionKey: "agent:main:main" });
  await run("r3", OTHER, main);
  // Its session has expired; the input that began it stays for two weeks.
  await run("r4", "cron:gone:2", main);
  await store.deleteSession("cron:gone:2", { nowMs: NOW_MS + 2 });
  await run("r5", "cron:others:1", { sessionKey: OTHER, atMs: NOW_MS - HOUR });
  await store.flushCopies();
  expect((await readFile(fixture.copyPath("r1"), "utf8")).split("\n")[0]).toContain('"spawnedBy":"agent:main:main"');
  await store.close();
  const counts = await forget({ isSession: (key) => key === "agent:main:main" });
  expect(Object.fromEntries(counts)).toMatchObject({ "received messages": 5, "sent or waiting messages": 5 });
  store = await fixture.open();
  expect((await store.listSessions({ limit: 20 })).items.map(({ key }) => key)).toEqual(["cron:others:1"]);
  await store.close();
  await forget({ isTime: (atMs) => atMs === NOW_MS - HOUR });
  expect((await readFile(fixture.file)).includes(CANARY)).toBe(false);
  expect(fixture.damages).toEqual([]);
});

test("without a commit nothing is changed", async () => {
  await fill(await fixture.open());
  beginForgetting({ folder: fixture.folder, rules: rules({ isSession: () => true }), copies: [] })[Symbol.dispose]();
  expect(await texts(await fixture.open(), "session-1")).toHaveLength(7);
});

test("every copy of the database but a new snapshot goes", async () => {
  const store = await fixture.open();
  await fill(store);
  await store.snapshot();
  await writeFile(join(fixture.folder, "factotum.sqlite.v3.1"), CANARY);
  fixture.clock.nowMs += HOUR;
  expect(await listOldCopies(fixture.folder, fixture.clock.nowMs)).toHaveLength(2);
  await store.snapshot();
  await store.close();
  await removeOldCopies(fixture.folder, fixture.clock.nowMs);
  expect(await listOldCopies(fixture.folder, fixture.clock.nowMs)).toEqual([]);
});
