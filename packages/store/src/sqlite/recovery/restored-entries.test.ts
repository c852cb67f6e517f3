import { readFile, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { compactionEntry, NOW_MS, sampleSession, userEntry } from "../../../contract/samples.ts";
import { createSqliteFixture, TEST_RANDOM } from "../../../test/open-test-store.ts";
import type { SqliteFixture } from "../../../test/open-test-store.ts";
import { exportSession, importSessionFile } from "../../index.ts";
import type { SqliteStore, TranscriptEntry } from "../../index.ts";

let fixture: SqliteFixture;
beforeEach(async () => {
  fixture = await createSqliteFixture();
});
afterEach(() => fixture.remove());

async function begin(): Promise<SqliteStore> {
  const store = await fixture.open();
  await store.createSession(sampleSession(), { nowMs: NOW_MS });
  return store;
}

async function add(store: SqliteStore, ...texts: readonly string[]): Promise<readonly TranscriptEntry[]> {
  const added: TranscriptEntry[] = [];
  for (const text of texts) added.push(await store.appendEntry("session-1", userEntry(text), { timestampMs: NOW_MS }));
  return added;
}

async function entriesOf(store: SqliteStore, sessionId = "session-1"): Promise<readonly TranscriptEntry[]> {
  return (await store.readTranscript(sessionId, { limit: 100 })).items;
}

async function loseDatabase(store: SqliteStore): Promise<void> {
  await store.close();
  for (const end of ["", "-wal", "-shm"]) await rm(`${fixture.file}${end}`, { force: true });
}

test("a plain file continues the snapshot at the conversation's last entry", async () => {
  const store = await begin();
  await add(store, "one", "two");
  await store.flushCopies();
  // The position in the file is stored with the next commit, whatever it contains.
  await store.createSession(sampleSession({ key: "agent:main:other", sessionId: "session-2" }), { nowMs: NOW_MS });
  await store.snapshot();
  await add(store, "three", "four");
  const before = await entriesOf(store);
  await loseDatabase(store);

  const again = await fixture.open();
  expect(await entriesOf(again)).toEqual(before);
  expect(before.map(({ parentId }) => parentId)).toEqual([undefined, ...before.slice(0, -1).map(({ id }) => id)]);

  const path = join(fixture.folder, "export.jsonl");
  const lines: string[] = [];
  for await (const line of exportSession(again, { sessionId: "session-1", startedAtMs: NOW_MS, cwd: "/x" })) lines.push(line);
  await writeFile(path, lines.join(""));
  const owners = { agentId: "main", isForAll: false, agents: new Set(["main"]), random: TEST_RANDOM, nowMs: NOW_MS };
  const report = await importSessionFile(again, path, { ...owners, key: "agent:main:copy" });
  expect(report.imported).toMatchObject([{ entries: before.length, problems: [] }]);
});

test.each([{}, { rerendered: true as const }])("a replacement with %j is restored completely", async (mark) => {
  const store = await begin();
  const [entry] = await add(store, "one");
  const messages = [{ entryId: entry?.id ?? "", message: userEntry("instead").message }];
  await store.appendEntry("session-1", { type: "replacement", messages, ...mark }, { timestampMs: NOW_MS });
  const before = await entriesOf(store);
  await loseDatabase(store);
  expect(await entriesOf(await fixture.open())).toEqual(before);
});

test.each([{}, { tellsModel: true as const }, { tellsModel: true as const, tainted: true as const }])(
  "a notice with %j is restored completely",
  async (mark) => {
    const store = await begin();
    await add(store, "one");
    await store.appendEntry("session-1", { type: "notice", level: "warning", text: "not sent", ...mark }, { timestampMs: NOW_MS });
    const before = await entriesOf(store);
    await loseDatabase(store);
    expect(await entriesOf(await fixture.open())).toEqual(before);
  },
);

test("compactions and replacements name the same entries after these got other ids", async () => {
  const store = await begin();
  const [first, second] = await add(store, "one", "two");
  const messages = [{ entryId: first?.id ?? "", message: userEntry("instead").message }];
  await store.appendEntry("session-1", { type: "replacement", messages }, { timestampMs: NOW_MS });
  await store.appendEntry("session-1", compactionEntry(second?.id ?? ""), { timestampMs: NOW_MS });
  await add(store, "three");
  await loseDatabase(store);
  // A second conversation has the same ids, so one of the two gets new ones.
  const file = await readFile(fixture.copyPath("session-1"), "utf8");
  await writeFile(fixture.copyPath("session-2"), file.replaceAll("session-1", "session-2").replace("agent:main:main", "agent:main:other"));

  const again = await fixture.open();
  const ids = new Set<string>();
  for (const sessionId of ["session-1", "session-2"]) {
    const [one, two, replacement, compaction, three] = await entriesOf(again, sessionId);
    expect(replacement).toMatchObject({ type: "replacement", messages: [{ entryId: one?.id }] });
    expect(compaction).toMatchObject({ type: "compaction", message: { firstKeptEntryId: two?.id } });
    expect((await again.readContext(sessionId)).map(({ id }) => id)).toEqual(
      [compaction, two, replacement, three].map((entry) => entry?.id),
    );
    for (const entry of [one, two, replacement, compaction, three]) ids.add(entry?.id ?? "");
  }
  expect(ids.size).toBe(10);
});
