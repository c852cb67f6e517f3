import { execFileSync } from "node:child_process";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, expect, test } from "vitest";
import { RecoveryScene, textsOf } from "../../../test/recovery-scene.ts";
import { findForeignDatabase, StoreError } from "../../index.ts";
import type { ForeignDatabase } from "../../index.ts";

let scene: RecoveryScene;
beforeEach(async () => {
  scene = await RecoveryScene.create();
});
afterEach(() => scene.remove());

async function talkAndClose({ snapshot }: { readonly snapshot: boolean }): Promise<void> {
  const store = await scene.open();
  await scene.talk(store, "main", "hello");
  if (snapshot) await store.snapshot();
  await store.close();
}

function replace(sql: string): void {
  const other = new DatabaseSync(scene.fixture.file);
  other.exec(sql);
  other.close();
}

const find = async (): Promise<ForeignDatabase | undefined> => findForeignDatabase(scene.fixture.folder, scene.fixture.options.copies);

const THEIRS = "CREATE TABLE theirs (a); INSERT INTO theirs VALUES (1)";

test.each([
  ["another schema", THEIRS],
  ["another application id", `PRAGMA application_id = 7; ${THEIRS}`],
  ["its own write-ahead log", `PRAGMA journal_mode = WAL; ${THEIRS}`],
])("a database with %s is refused with the command after which everything is restored", async (_name, sql) => {
  await talkAndClose({ snapshot: true });
  await scene.removeFile();
  replace(sql);
  const found = await find();
  expect(found?.text).toBe(`${scene.fixture.file} is not a database of Factotum: another program made it.`);
  expect(found?.fix).toContain("The next start then restores everything from the snapshots and the plain files of the conversations.");
  const refusal = await scene.open().catch((error: unknown) => error);
  expect(StoreError.isInstance(refusal)).toBe(true);
  expect(refusal).toMatchObject({ code: "unsupported", message: `${found?.text} ${found?.fix}` });

  const command = /Move it away: (.*?)\. The next start/.exec(found?.fix ?? "")?.[1] ?? "";
  execFileSync("/bin/sh", ["-c", command], { stdio: "pipe" });
  expect(await textsOf(await scene.open(), "id-main")).toEqual(["hello"]);
  const theirs = new DatabaseSync(join(scene.fixture.folder, "other-program.sqlite"));
  expect(theirs.prepare("SELECT a FROM theirs").all()).toEqual([{ a: 1 }]);
  theirs.close();
});

test("names only what exists: snapshots, plain files or neither", async () => {
  await talkAndClose({ snapshot: false });
  await scene.removeFile();
  replace(THEIRS);
  expect((await find())?.fix).toContain("restores everything from the plain files of the conversations.");
  await rm(scene.copies, { recursive: true });
  await rm(join(scene.fixture.folder, "snapshots"), { recursive: true, force: true });
  expect((await find())?.fix).toContain("begins with an empty database.");
});

test("a database that a newer version has used is refused, and stays as it is", async () => {
  await talkAndClose({ snapshot: true });
  replace("PRAGMA user_version = 1000");
  const found = await find();
  expect(found).toMatchObject({
    text: expect.stringContaining("version 1000") as string,
    fix: expect.stringContaining("newer Factotum") as string,
  });
  await expect(scene.open()).rejects.toMatchObject({ code: "unsupported", message: `${found?.text} ${found?.fix}` });
  expect(await find()).toEqual(found);
});

test("our own database, a missing and an empty file are not foreign", async () => {
  expect(await find()).toBeUndefined();
  await mkdir(scene.fixture.folder, { recursive: true });
  replace("");
  expect(await find()).toBeUndefined();
  await talkAndClose({ snapshot: false });
  expect(await find()).toBeUndefined();
});
