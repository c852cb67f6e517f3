import { appendFile, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { NOW_MS } from "../../contract/samples.ts";
import { createSqliteFixture } from "../../test/open-test-store.ts";
import { importSessionFile } from "../index.ts";
import type { ImportedEntry } from "../port/session-store.ts";
import { openSessionFile } from "./open-session-file.ts";

/** Larger than the limit for reading without a thread. */
const COUNT = 2_000;

let folder = "";
let path = "";
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "factotum-open-"));
  path = join(folder, "long.jsonl");
  const message = (index: number): unknown => ({ role: "user", content: `${index} ${"x".repeat(1_000)}`, timestamp: index });
  const compaction = { type: "compaction", id: "c", summary: "Short.", firstKeptEntryId: "m1500", timestamp: NOW_MS };
  const records = [
    { type: "session", version: 3, id: "long", timestamp: "2026-01-30T12:00:00.000Z" },
    ...Array.from({ length: COUNT }, (_, index) => ({ type: "message", id: `m${index}`, message: message(index) })),
    compaction,
  ];
  await writeFile(path, `${records.map((record) => JSON.stringify(record)).join("\n")}\n{"type":"message","mess`);
});
afterEach(() => rm(folder, { recursive: true }));

/** A replacement for the thread's program. */
function program(source: string): URL {
  return new URL(`data:text/javascript,${encodeURIComponent(`import { parentPort } from "node:worker_threads";${source}`)}`);
}

const FACTS = `parentPort.postMessage({ type: "facts", facts: { isReadable: true, version: 3, problems: [], count: 1, compactionCount: 0, usage: {} } });`;

async function collect(entries: AsyncIterable<ImportedEntry> | Iterable<ImportedEntry>): Promise<readonly ImportedEntry[]> {
  const all: ImportedEntry[] = [];
  for await (const entry of entries) all.push(entry);
  return all;
}

test("reads a large file in a thread: facts first, then entries in order, with the ids that others refer to", async () => {
  await using file = await openSessionFile(path);
  expect(file).toMatchObject({ isReadable: true, sessionId: "long", count: COUNT + 1, compactionCount: 1, lastMs: NOW_MS });
  expect(file.problems).toEqual([{ type: "torn-tail", line: COUNT + 3 }]);
  const entries = await collect(file.entries);
  expect(entries.filter(({ id }) => id !== undefined)).toMatchObject([{ id: "1500", timestampMs: 1500 }]);
  expect(entries.slice(0, COUNT).map(({ body }) => (body.type === "message" ? Number(body.message.timestamp) : -1))).toEqual(
    Array.from({ length: COUNT }, (_, index) => index),
  );
  expect(entries.at(-1)?.body).toMatchObject({ type: "compaction", message: { firstKeptEntryId: "1500" } });
});

test("ignores data that is appended while the file is read", async () => {
  await using file = await openSessionFile(path);
  await appendFile(path, `${JSON.stringify({ role: "user", content: "later" })}\n`);
  expect(await collect(file.entries)).toHaveLength(COUNT + 1);
});

test("refuses a file that changes while it is read, and stores nothing", async () => {
  const fixture = await createSqliteFixture();
  const store = await fixture.open();
  await using file = await openSessionFile(path);
  await writeFile(path, "y".repeat(3_000_000));
  await expect(collect(file.entries)).rejects.toMatchObject({
    code: "invalid",
    message: expect.stringContaining("changed while it was read") as string,
  });
  expect((await store.listSessions({ limit: 1 })).items).toEqual([]);
  await fixture.remove();
});

test.each([
  ["ends before its facts", "process.exit(0);", "its thread ended"],
  ["throws", 'throw new Error("out of luck");', "out of luck"],
  ["ends among the entries", `${FACTS}parentPort.on("message", () => process.exit(0));`, "its thread ended"],
  ["ends before the entries are asked for", `${FACTS}setImmediate(() => process.exit(0));`, "its thread ended"],
])("an import whose thread %s is refused, and leaves nothing", async (_, source, reason) => {
  const fixture = await createSqliteFixture();
  const store = await fixture.open();
  const owners = { agentId: "main", isForAll: false, agents: new Set(["main"]) };
  const options = { ...owners, random: fixture.options.random, nowMs: NOW_MS, worker: program(source) };
  const report = importSessionFile(store, path, options).then(({ refused }) => refused.map((one) => one.reason).join());
  expect(await report.catch((error: Error) => error.message)).toContain(reason);
  expect((await store.listSessions({ limit: 1 })).items).toEqual([]);
  await fixture.remove();
});

test("stops reading on abort, even if the thread is busy", async () => {
  const stop = new AbortController();
  const silent = openSessionFile(path, { signal: stop.signal, worker: program("setInterval(() => undefined, 1000);") });
  stop.abort(new Error("enough"));
  await expect(silent).rejects.toThrow("enough");
  const later = new AbortController();
  await using file = await openSessionFile(path, { signal: later.signal });
  const entries = (file.entries as AsyncIterable<ImportedEntry>)[Symbol.asyncIterator]();
  expect((await entries.next()).done).toBe(false);
  later.abort(new Error("enough"));
  await expect(collect({ [Symbol.asyncIterator]: () => entries })).rejects.toThrow("enough");
});
