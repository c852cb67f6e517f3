import fs from "node:fs";
import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from "node:fs/promises";
import { syncBuiltinESMExports } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createTestClock, createTestLogger } from "../../test/open-test-store.ts";
import { DamageLog, readDamageEvents } from "../index.ts";

let folder = "";
const logger = createTestLogger();
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), "factotum-damage-"));
});
afterEach(() => rm(folder, { recursive: true }));

const open = (): DamageLog => new DamageLog(folder, { clock: createTestClock(), logger });
const rows = (sessionKey: string) => ({ kind: "rows", text: "left out", isComplete: false, sessionKey }) as const;
const database = (path: string) => ({ kind: "database", text: "restored", isComplete: true, path }) as const;

test("keeps damage through restarts until it is acknowledged, singly or all at once", async () => {
  const log = open();
  await log.record(database("/a"));
  await log.record(rows("agent:main:main"));
  await log.close();
  expect(readDamageEvents(folder)).toEqual(log.list());
  const next = open();
  expect(next.list().map(({ id, kind }) => [id, kind])).toEqual([
    ["d1", "database"],
    ["d2", "rows"],
  ]);
  expect(next.keepsEarlierSnapshots).toBe(true);
  expect((await next.acknowledge(["d1", "d9"])).map(({ id }) => id)).toEqual(["d1"]);
  expect(next.keepsEarlierSnapshots).toBe(false);
  await next.record(rows("agent:main:other"));
  expect(
    open()
      .list()
      .map(({ id }) => id),
  ).toEqual(["d2", "d3"]);
  expect(await open().acknowledge()).toHaveLength(2);
  expect(open().list()).toEqual([]);
  expect(await readdir(folder)).toEqual(["damage.json"]);
});

test("counts rows of one session in one event, and stays bounded", async () => {
  const log = open();
  for (let n = 0; n < 3; n += 1) await log.record(rows("agent:main:main"));
  expect(log.list()).toMatchObject([{ id: "d1", count: 3 }]);
  await Promise.all(Array.from({ length: 300 }, (_, n) => log.record(rows(`agent:main:${n}`))));
  expect(log.list()).toHaveLength(100);
  expect(log.list().reduce((sum, { count }) => sum + count, 0)).toBe(303);
  expect(open().list()).toEqual(log.list());
});

test("batches concurrent damage into one write", async () => {
  const renames = vi.spyOn(fs.promises, "rename");
  syncBuiltinESMExports();
  try {
    const log = open();
    await Promise.all(Array.from({ length: 200 }, async (_, n) => log.record(rows(`agent:main:${n % 3}`))));
    expect(renames.mock.calls).toHaveLength(1);
    expect(
      open()
        .list()
        .map(({ count }) => count),
    ).toEqual([67, 67, 66]);
    await log.record(rows("agent:main:0"));
    expect(renames.mock.calls).toHaveLength(2);
  } finally {
    renames.mockRestore();
    syncBuiltinESMExports();
  }
});

test("replaces the record of a restored database whose recovery was done again", async () => {
  const log = open();
  await log.record(database("/a"));
  await log.record({ ...database("/a"), text: "restored again" });
  await log.record(database("/b"));
  expect(log.list()).toMatchObject([
    { id: "d1", text: "restored again", count: 1 },
    { id: "d2", path: "/b" },
  ]);
});

test("remembers which database was used last, also after its damage was acknowledged", async () => {
  const log = open();
  expect(log.database).toBeUndefined();
  await log.useDatabase({ id: "one", others: [] });
  expect(open().database).toEqual({ id: "one", others: [] });
  await log.record(database("/a"), { database: { id: "two", others: ["one"] } });
  await log.acknowledge();
  expect(open().database).toEqual({ id: "two", others: ["one"] });
});

test("starts empty and reports it when its file is unreadable; removes unfinished writes", async () => {
  await writeFile(join(folder, "damage.json"), "{");
  await writeFile(join(folder, "damage.json.tmp"), "{");
  expect(open().list()).toEqual([]);
  expect(logger.lines.at(-1)).toMatchObject({ level: "error" });
  expect(await readdir(folder)).toEqual(["damage.json.unreadable"]);
});

test.each([
  ["no list", '{"next":1,"events":null}'],
  ["wrong types", '{"events":{"a":1},"databases":7,"next":"x"}'],
  ["events that are none", '{"next":3,"events":[null,5]}'],
  ["an invalid time", '{"next":2,"events":[{"id":"d1","kind":"rows","atMs":1e300,"text":"","count":1,"isComplete":true}]}'],
  ["no object", "[]"],
])("sets a file aside that is JSON of another shape, and goes on: %s", async (_name, content) => {
  await writeFile(join(folder, "damage.json"), content);
  expect(readDamageEvents(folder)).toEqual([]);
  expect(await readdir(folder)).toEqual(["damage.json"]);
  const log = open();
  expect(log.list()).toEqual([]);
  expect(logger.lines.at(-1)).toMatchObject({ level: "error", fields: { aside: join(folder, "damage.json.unreadable") } });
  await log.record(rows("agent:main:main"));
  expect(open().list()).toEqual(log.list());
  expect(await readFile(join(folder, "damage.json.unreadable"), "utf8")).toBe(content);
});

test("works when a folder is in place of its file", async () => {
  await mkdir(join(folder, "damage.json"));
  await open().record(rows("agent:main:main"));
  expect(open().list()).toHaveLength(1);
});

test("keeps events whose acknowledgement could not be stored", async () => {
  const log = open();
  await log.record(database("/a"));
  await rm(folder, { recursive: true });
  await writeFile(folder, "in the way");
  await expect(log.acknowledge()).rejects.toThrow(/ENOTDIR|EEXIST/);
  expect(log.list()).toHaveLength(1);
});
