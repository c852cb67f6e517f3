import { mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createTestClock, createTestLogger } from "../../../test/open-test-store.ts";
import { listRestorable } from "../recovery/find-loss.ts";
import { connect } from "./connection.ts";
import { DATABASE_NAME } from "./database-name.ts";
import type { Database } from "./database.ts";
import type { Migration } from "./schema.ts";

const FIRST: Migration = { version: 1, sql: "CREATE TABLE notes (text TEXT NOT NULL) STRICT; INSERT INTO notes VALUES ('old');" };
const SECOND: Migration = { version: 2, sql: "ALTER TABLE notes ADD COLUMN at INTEGER NOT NULL DEFAULT 7;" };
const BROKEN: Migration = { version: 3, sql: "UPDATE notes SET text = 'half'; ALTER TABLE nowhere ADD COLUMN x INTEGER;" };

let root = "";
beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), "factotum-connection-"));
});
afterEach(() => rm(root, { recursive: true }));

const folder = (): string => join(root, "state");
const file = (): string => join(folder(), DATABASE_NAME);

function open(...migrations: readonly Migration[]): Database {
  return connect({ folder: folder(), clock: createTestClock(), logger: createTestLogger(), migrations });
}

function withFile(work: (connection: DatabaseSync) => void): void {
  const connection = new DatabaseSync(file());
  work(connection);
  connection.close();
}

test("folder and file are private, and every commit is flushed", async () => {
  const database = open(FIRST);
  expect((await stat(folder())).mode & 0o777).toBe(0o700);
  for (const name of await readdir(folder())) expect((await stat(join(folder(), name))).mode & 0o777).toBe(0o600);
  expect(database.get("PRAGMA journal_mode")).toEqual({ journal_mode: "wal" });
  expect(database.get("PRAGMA synchronous")).toEqual({ synchronous: 2 });
  expect(database.get("PRAGMA foreign_keys")).toEqual({ foreign_keys: 1 });
  database.close();
});

test("a copy requested during a transaction waits for its end and includes its commit", async () => {
  const database = open(FIRST);
  database.run("BEGIN IMMEDIATE");
  database.run("INSERT INTO notes VALUES ('new')");
  const copying = database.copyTo(join(root, "copy.sqlite"));
  // The copy, too, reads its first pages in the thread pool, and was queued there first.
  for (let look = 0; look < 20; look += 1) await stat(file());
  database.run("COMMIT");
  await copying;
  const copy = new DatabaseSync(join(root, "copy.sqlite"));
  expect(copy.prepare("SELECT text FROM notes").all()).toEqual([{ text: "old" }, { text: "new" }]);
  copy.close();
  database.close();
});

test("a copy to an unwritable place fails", async () => {
  const database = open(FIRST);
  await expect(database.copyTo(join(root, "nowhere", "copy.sqlite"))).rejects.toThrow(/unable to open/);
  database.close();
});

test("a migration keeps the data, and a copy from before", async () => {
  open(FIRST).close();
  expect(await readdir(folder())).toEqual([DATABASE_NAME]);
  const database = open(FIRST, SECOND);
  expect(database.get("SELECT * FROM notes")).toEqual({ text: "old", at: 7 });
  database.close();
  const copy = (await readdir(folder())).find((name) => name !== DATABASE_NAME) ?? "";
  expect((await stat(join(folder(), copy))).mode & 0o777).toBe(0o600);
  const old = new DatabaseSync(join(folder(), copy), { readOnly: true });
  expect(old.prepare("SELECT * FROM notes").get()).toEqual({ text: "old" });
  expect(old.prepare("PRAGMA user_version").get()).toEqual({ user_version: 1 });
  old.close();
});

test("an unfinished copy before a migration is removed", async () => {
  const rows = Array.from({ length: 100 }, () => "INSERT INTO notes VALUES (hex(zeroblob(2000)));").join("");
  open({ version: 1, sql: `${FIRST.sql} ${rows}` }).close();
  const bytes = await readFile(file());
  await writeFile(file(), bytes.fill(0x5a, 60 * 4096, 61 * 4096));
  expect(() => open(FIRST, SECOND)).toThrow(expect.objectContaining({ code: "damaged" }));
  expect(await readdir(folder())).toEqual([DATABASE_NAME]);
});

test("the unfinished copy of a killed migration is replaced, and ignored by recovery", async () => {
  open(FIRST).close();
  await writeFile(`${file()}.copying`, "half of a copy");
  expect(await listRestorable(folder())).toEqual([]);
  open(FIRST, SECOND).close();
  const [copy, ...more] = await listRestorable(folder());
  expect(more).toEqual([]);
  expect((await readdir(folder())).map((name) => join(folder(), name))).toEqual([file(), copy?.path]);
});

test("a failed migration changes nothing", () => {
  open(FIRST, SECOND).close();
  expect(() => open(FIRST, SECOND, BROKEN)).toThrow(expect.objectContaining({ code: "internal" }));
  const database = open(FIRST, SECOND);
  expect(database.get("SELECT * FROM notes")).toEqual({ text: "old", at: 7 });
  database.close();
});

test("a newer database is refused", () => {
  open(FIRST, SECOND).close();
  expect(() => open(FIRST)).toThrow(expect.objectContaining({ code: "unsupported" }));
});

test("another program's database is refused, and no byte of it changes", async () => {
  await mkdir(folder());
  withFile((connection) => connection.exec("CREATE TABLE theirs (a)"));
  const before = await readFile(file());
  expect(() => open(FIRST)).toThrow(expect.objectContaining({ code: "unsupported" }));
  expect((await readFile(file())).equals(before)).toBe(true);
});

test("a header that SQLite reports as another format is damaged", async () => {
  open(FIRST).close();
  const bytes = await readFile(file());
  // The schema format number, of which SQLite knows 1 to 4.
  bytes[47] = 132;
  await writeFile(file(), bytes);
  expect(() => open(FIRST)).toThrow(
    expect.objectContaining({ code: "damaged", message: expect.stringContaining("factotum backup restore") }),
  );
});

test("a file that is no database is damaged, and stays untouched", async () => {
  await mkdir(folder());
  await writeFile(file(), "x".repeat(9000));
  expect(() => open(FIRST)).toThrow(expect.objectContaining({ code: "damaged" }));
  expect((await stat(file())).size).toBe(9000);
});

test("reports a folder in place of the file", async () => {
  await mkdir(file(), { recursive: true });
  expect(() => open(FIRST)).toThrow(/factotum\.sqlite in the state folder has to be a file/);
});
