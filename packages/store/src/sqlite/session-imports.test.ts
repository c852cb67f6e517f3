import { readFile } from "node:fs/promises";
import { setImmediate as nextTick } from "node:timers/promises";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { importedSession, NOW_MS, OWNER, sampleMessage, userEntry } from "../../contract/samples.ts";
import { createSqliteFixture } from "../../test/open-test-store.ts";
import type { SqliteFixture } from "../../test/open-test-store.ts";
import type { ImportedEntry } from "../port/session-store.ts";
import type { SqliteStore } from "./sqlite-store.ts";

const SESSION = importedSession({ key: "agent:main:long", sessionId: "long" });
/** Entries that one commit of an import may hold. */
const SLICE = 200;

let fixture: SqliteFixture;
let store: SqliteStore;
beforeEach(async () => {
  fixture = await createSqliteFixture();
  store = await fixture.open();
});
afterEach(() => fixture.remove());

const entry = (index: number, chars = 10): ImportedEntry => ({
  id: `${index}`,
  timestampMs: NOW_MS,
  body: userEntry(`${index} ${"x".repeat(chars)}`),
});

/** Entries, with a callback before each of them. */
async function* entriesWith(count: number, before: (index: number) => Promise<void> | void): AsyncIterable<ImportedEntry> {
  for (let index = 0; index < count; index += 1) {
    await before(index);
    yield entry(index);
  }
}

/** Rows of the tables that an import writes. */
function rows(): Readonly<Record<string, number>> {
  const database = new DatabaseSync(fixture.file, { readOnly: true });
  const count = (table: string): number => Number(database.prepare(`SELECT count(*) AS n FROM ${table}`).get()?.["n"]);
  const counts = { conversations: count("conversations"), transcript: count("transcript"), sessions: count("sessions") };
  database.close();
  return counts;
}

const NOTHING = { conversations: 0, transcript: 0, sessions: 0 };

test("an import reads one slice ahead, commits each slice, and yields in between", async () => {
  const before = store.metrics().commits;
  const accepted: number[] = [];
  const entries = entriesWith(3 * SLICE + 1, async (index) => {
    // A slice is on disk before the next one is read.
    expect(store.metrics().commits - before).toBeGreaterThanOrEqual(Math.floor((index - 1) / SLICE));
    expect(await store.readSession(SESSION.key)).toBeUndefined();
    if (index % SLICE !== SLICE / 2) return;
    await store.acceptInput(sampleMessage(`m${index}`), { admission: OWNER, receivedAtMs: NOW_MS });
    accepted.push(index);
  });
  await store.importSession({ ...SESSION, entries });
  expect(accepted).toHaveLength(3);
  expect((await store.readTranscript("long", { limit: 1 })).items).toMatchObject([
    { message: { content: [{ text: `${3 * SLICE} xxxxxxxxxx` }] } },
  ]);
  expect(rows()).toMatchObject({ conversations: 1, sessions: 1, transcript: 3 * SLICE + 1 });
});

test("large entries share no commit", async () => {
  const before = store.metrics().commits;
  await store.importSession({ ...SESSION, entries: Array.from({ length: 5 }, (_, index) => entry(index, 300_000)) });
  // One to begin, one for each entry, one to end.
  expect(store.metrics().commits - before).toBe(7);
});

test("a session is invisible until its import ends; its plain file is written afterwards", async () => {
  const reached = Promise.withResolvers<void>();
  const gate = Promise.withResolvers<void>();
  const imported = store.importSession({
    ...SESSION,
    entries: entriesWith(SLICE + 50, async (index) => {
      if (index !== SLICE + 10) return;
      reached.resolve();
      await gate.promise;
    }),
  });
  await reached.promise;
  expect(rows()).toMatchObject({ conversations: 1, sessions: 0, transcript: SLICE });
  expect((await store.listConversations({ limit: 10 })).items).toEqual([]);
  expect((await store.listSessions({ limit: 10 })).items).toEqual([]);
  expect(await store.readContext("long")).toEqual([]);
  await store.flushCopies();
  await expect(readFile(fixture.copyPath("long"))).rejects.toMatchObject({ code: "ENOENT" });
  gate.resolve();
  await imported;
  await store.flushCopies();
  // The header, and a line for each entry.
  expect((await readFile(fixture.copyPath("long"), "utf8")).trim().split("\n")).toHaveLength(SLICE + 51);
});

test.each([0, 1, SLICE + 5])("an import whose source fails at entry %i leaves nothing", async (at) => {
  const entries = entriesWith(2 * SLICE, (index) => {
    if (index === at) throw new Error("broken");
  });
  await expect(store.importSession({ ...SESSION, entries })).rejects.toThrow("broken");
  expect(rows()).toEqual(NOTHING);
  expect(await store.importSession({ ...SESSION, entries: [entry(0)] })).toMatchObject({ sessionId: "long" });
});

test("an import that is cancelled leaves nothing, and rejects with the reason", async () => {
  const stop = new AbortController();
  const entries = entriesWith(3 * SLICE, (index) => {
    if (index === SLICE + 5) stop.abort(new Error("enough"));
  });
  await expect(store.importSession({ ...SESSION, entries }, { signal: stop.signal })).rejects.toThrow("enough");
  expect(rows()).toEqual(NOTHING);
});

test("an import whose key is taken in the meantime leaves nothing", async () => {
  const entries = entriesWith(SLICE + 10, async (index) => {
    if (index === SLICE + 5) await store.importSession({ ...SESSION, key: "agent:main:other", entries: [entry(0)] });
  });
  await expect(store.importSession({ ...SESSION, entries })).rejects.toMatchObject({ code: "conflict" });
  expect(rows()).toEqual({ conversations: 1, transcript: 1, sessions: 1 });
});

test("an import whose key is taken, and a dry run, read no entry", async () => {
  await store.importSession({ ...SESSION, entries: [entry(0)] });
  const unread = entriesWith(1, () => {
    throw new Error("an entry was read");
  });
  await expect(store.importSession({ ...SESSION, key: "agent:main:b", entries: unread })).rejects.toMatchObject({ code: "conflict" });
  const other = { ...SESSION, key: "agent:main:b", sessionId: "b" };
  expect(await store.importSession({ ...other, entries: unread }, { isTrial: true })).toMatchObject({ sessionId: "b" });
  expect(rows()).toEqual({ conversations: 1, transcript: 1, sessions: 1 });
});

test("the next start removes an unfinished import, and the session can be imported again", async () => {
  const reached = Promise.withResolvers<void>();
  const imported = store.importSession({
    ...SESSION,
    entries: entriesWith(4 * SLICE, async (index) => {
      if (index !== 3 * SLICE + 1) return;
      reached.resolve();
      // Until the store is closed during the import.
      while ((await store.readSession(SESSION.key)) === undefined) await nextTick();
    }),
  });
  imported.catch(() => undefined);
  await reached.promise;
  await store.close();
  await expect(imported).rejects.toMatchObject({ code: "closed" });
  expect(rows()).toMatchObject({ conversations: 1, sessions: 0, transcript: 3 * SLICE });
  store = await fixture.open();
  await expect.poll(rows).toEqual(NOTHING);
  await store.importSession({ ...SESSION, entries: [entry(0)] });
  expect(rows()).toEqual({ conversations: 1, transcript: 1, sessions: 1 });
});
