import { readFile, rm } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { importedSession, NOW_MS, sampleSession, sampleTurn, sampleEnd, sampleMessage, userEntry } from "../../../contract/samples.ts";
import { createSqliteFixture, type SqliteFixture } from "../../../test/open-test-store.ts";
import { beginForgetting, parseSessionFile, type ImportedEntry, type SqliteStore, type TranscriptEntry } from "../../index.ts";

const HOUR = 60 * 60_000;

let fixture: SqliteFixture;
beforeEach(async () => {
  fixture = await createSqliteFixture();
});
afterEach(() => fixture.remove());

/** One turn that is begun by each text; the ids of their messages. */
async function say(store: SqliteStore, ...texts: readonly string[]): Promise<readonly string[]> {
  const ids: string[] = [];
  for (const text of texts) {
    const admission = { owner: true, kind: "user" } as const;
    const { input } = await store.acceptInput(sampleMessage(text, { text }), { admission, receivedAtMs: NOW_MS });
    await store.startTurn(sampleTurn(text, [input.id], { session: sampleSession(), entries: [userEntry(text)], startedAtMs: NOW_MS }));
    await store.endTurn(sampleEnd(text, { endedAtMs: NOW_MS + 1 }));
    const { items } = await store.readTranscript("session-1", { limit: 20 });
    ids.push(items.findLast((entry) => textsOf([entry]).length > 0)?.id ?? "");
  }
  return ids;
}

async function sayAgain(store: SqliteStore, before: string, text: string): Promise<string> {
  await store.branchTranscript("session-1", { before, key: `branch:${text}`, timestampMs: NOW_MS });
  const [id] = await say(store, text);
  return id ?? "";
}

async function forget(...texts: readonly string[]): Promise<void> {
  const rules = { atMs: NOW_MS + HOUR, isSession: () => false, isTime: () => false, redact: (text: string) => text };
  using work = beginForgetting({
    folder: fixture.folder,
    rules: { ...rules, isText: (text) => texts.includes(text) },
    copies: [],
  });
  work.commit();
}

function textsOf(entries: readonly TranscriptEntry[]): readonly string[] {
  return entries.flatMap((entry) =>
    entry.type === "message" && entry.message.role === "user"
      ? entry.message.content.flatMap((block) => (block.type === "text" ? [block.text] : []))
      : [],
  );
}

async function shown(store: SqliteStore, sessionId = "session-1"): Promise<readonly string[]> {
  return textsOf((await store.readTranscript(sessionId, { limit: 20 })).items);
}

/** What the plain file of the conversation becomes in another store. */
async function imported(store: SqliteStore): Promise<readonly string[]> {
  await store.close();
  const { entries } = await parseSessionFile(await readFile(fixture.copyPath("session-1"), "utf8"));
  const again = await fixture.open();
  const stream = async function* (): AsyncGenerator<ImportedEntry> {
    yield* entries;
  };
  await again.importSession({ ...importedSession({ key: "agent:main:copy", sessionId: "session-copy" }), entries: stream() });
  const session = await again.readSession("agent:main:copy");
  return shown(again, session?.sessionId);
}

test("where the shown version of a message is forgotten, the newest other one is shown, and leads to the others", async () => {
  let store = await fixture.open();
  const [, two] = await say(store, "one", "two", "three");
  const second = await sayAgain(store, two ?? "", "two b");
  await sayAgain(store, two ?? "", "two c");
  await store.close();
  await forget("two c");
  store = await fixture.open();
  expect(await shown(store)).toEqual(["one", "two b"]);
  expect(await store.readVersions("session-1")).toEqual([{ entryIds: [two, second], shownId: second }]);
  await store.close();

  await forget("two b");
  store = await fixture.open();
  expect(await shown(store)).toEqual(["one", "two", "three"]);
  expect(await store.readVersions("session-1")).toEqual([]);
  await say(store, "four");
  expect(await shown(store)).toEqual(["one", "two", "three", "four"]);
  expect(fixture.damages).toEqual([]);
});

test("where the chosen version of a message is forgotten, the other one is shown; a branch that is shown stays so", async () => {
  let store = await fixture.open();
  const [, two] = await say(store, "one", "two", "three");
  await sayAgain(store, two ?? "", "two b");
  await store.chooseBranch("session-1", { entryId: two ?? "", timestampMs: NOW_MS });
  await store.close();
  await forget("three");
  store = await fixture.open();
  expect(await shown(store)).toEqual(["one", "two"]);
  await store.close();
  await forget("two");
  store = await fixture.open();
  expect(await shown(store)).toEqual(["one", "two b"]);
  expect(fixture.damages).toEqual([]);
});

test("a branch from a forgotten message continues what was before it, also in the plain file, and in a database restored from it", async () => {
  let store = await fixture.open();
  const [, , three] = await say(store, "one", "two", "three", "four");
  await sayAgain(store, three ?? "", "three b");
  await store.close();
  await forget("two");
  store = await fixture.open();
  expect(await shown(store)).toEqual(["one", "three b"]);
  expect(await store.readVersions("session-1")).toHaveLength(1);
  expect(await imported(store)).toEqual(["one", "three b"]);

  await (await fixture.open()).close();
  await rm(fixture.file);
  await rm(join(fixture.folder, "snapshots"), { recursive: true, force: true });
  store = await fixture.open();
  expect(await shown(store)).toEqual(["one", "three b"]);
  await store.chooseBranch("session-1", { entryId: three ?? "", timestampMs: NOW_MS });
  expect(await shown(store)).toEqual(["one", "three", "four"]);
});

test("a time that is forgotten takes no branch with it whose messages are of a later time", async () => {
  let store = await fixture.open();
  const [, two] = await say(store, "one", "two");
  await store.branchTranscript("session-1", { before: two ?? "", key: "branch:b", timestampMs: NOW_MS + HOUR });
  await say(store, "two b");
  await store.close();
  const rules = { atMs: NOW_MS + 2 * HOUR, isSession: () => false, isText: () => false, redact: (text: string) => text };
  using work = beginForgetting({ folder: fixture.folder, rules: { ...rules, isTime: (atMs) => atMs === NOW_MS + HOUR }, copies: [] });
  work.commit();
  store = await fixture.open();
  expect(await shown(store)).toEqual(["one", "two b"]);
});
