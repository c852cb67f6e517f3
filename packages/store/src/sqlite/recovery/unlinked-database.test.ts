import { copyFile, readdir, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { OWNER, sampleMessage, sampleTurn } from "../../../contract/samples.ts";
import type { SqliteFixture } from "../../../test/open-test-store.ts";
import { RecoveryScene, textsOf } from "../../../test/recovery-scene.ts";
import type { SqliteStore } from "../../index.ts";

let scene: RecoveryScene;
let fixture: SqliteFixture;
beforeEach(async () => {
  scene = await RecoveryScene.create();
  ({ fixture } = scene);
});
afterEach(() => scene.remove());

/** Another used database, beside the state folder. */
async function makeOther(): Promise<string> {
  const store = await scene.open();
  await scene.talk(store, "other", "elsewhere");
  await store.close();
  const path = `${fixture.folder}-other`;
  await rename(fixture.file, path);
  await rm(fixture.folder, { recursive: true });
  await rm(scene.copies, { recursive: true });
  return path;
}

/** What users do to files that are in use. */
const DEEDS: readonly [string, (other: string) => Promise<void>][] = [
  ["deleted", () => scene.removeFile()],
  ["deleted without its log", () => rm(fixture.file)],
  ["replaced by another", (other) => rename(other, fixture.file)],
  ["left without its log", () => rm(`${fixture.file}-wal`)],
  ["deleted with its folder", () => rm(fixture.folder, { recursive: true })],
];

/** Without plain files, so that everything restored comes from the connection. */
async function waitingInput(store: SqliteStore): Promise<string> {
  await rm(scene.copies, { recursive: true, force: true });
  return (await store.acceptInput(sampleMessage("waiting"), { admission: OWNER, receivedAtMs: fixture.clock.nowMs })).input.id;
}

describe.each(DEEDS)("a database that is %s while it is in use", (_name, deed) => {
  test("is noticed, saved when the store closes, and restored completely", async () => {
    const other = await makeOther();
    const store = await scene.open();
    await scene.talk(store, "main", "before");
    expect(store.isUnlinked).toBe(false);
    await deed(other);
    expect(store.isUnlinked).toBe(true);
    await scene.talk(store, "main", "after");
    const input = await waitingInput(store);
    await store.startTurn(sampleTurn("running", []));
    await store.close();

    const again = await scene.open();
    expect(scene.recoveries).toMatchObject([{ loss: "saved", isComplete: true }]);
    expect(await textsOf(again, "id-main")).toEqual(["before", "after", "asked in running"]);
    // Nothing was done since, so nothing can be repeated.
    expect(await again.readInput(input)).toMatchObject({ state: { type: "waiting" } });
    expect((await again.resumeTurns()).map(({ id }) => id)).toEqual(["running"]);
    expect(again.damage.list()).toMatchObject([
      { kind: "database", isComplete: true, text: expect.stringMatching(/deleted or replaced.*nothing is lost/) as string },
    ]);
    expect(again.isUnlinked).toBe(false);
    await again.close();
    await scene.open();
    expect(scene.recoveries).toHaveLength(1);
  });
});

test("restores a database that was saved before a kill, without repeating unfinished work", async () => {
  const other = await makeOther();
  const store = await scene.open();
  await scene.talk(store, "main", "before");
  await rename(other, fixture.file);
  await scene.talk(store, "main", "after");
  const input = await waitingInput(store);
  await store.saveUnlinked();
  // The state after a kill; the killed process still runs in this test, so use another folder.
  const folder = `${fixture.folder}-killed`;
  await rename(fixture.folder, folder);
  const again = await scene.open(folder);
  expect(scene.recoveries).toMatchObject([{ loss: "unlinked", isComplete: false }]);
  expect(await textsOf(again, "id-main")).toEqual(["before", "after"]);
  expect(await again.readInput(input)).toMatchObject({ state: { type: "dead" } });
  expect(await readdir(scene.recoveries[0]?.damagedFolder ?? "")).toContain("factotum.sqlite");
});

test("a saved database whose snapshots are gone is restored from the plain files, and is not reported as complete", async () => {
  const store = await scene.open();
  await scene.talk(store, "main", "before");
  await scene.removeFile();
  await scene.talk(store, "main", "after");
  const { input } = await store.acceptInput(sampleMessage("waiting"), { admission: OWNER, receivedAtMs: fixture.clock.nowMs });
  await store.close();
  await rm(join(fixture.folder, "snapshots"), { recursive: true });
  const again = await scene.open();
  expect(scene.recoveries).toMatchObject([{ loss: "saved", isComplete: false }]);
  expect(again.damage.list()).toMatchObject([{ isComplete: false, text: expect.not.stringContaining("nothing is lost") as string }]);
  expect(await textsOf(again, "id-main")).toEqual(["before", "after"]);
  expect(await again.readInput(input.id)).toBeUndefined();
});

test.each([
  ["deleted", () => scene.removeFile()],
  ["replaced by another", (other: string) => rename(other, fixture.file)],
])("a database that is damaged and %s does not count as saved: its last sound snapshot is restored", async (_name, deed) => {
  const other = await makeOther();
  const store = await scene.open();
  await scene.talk(store, "main", "before");
  const input = await waitingInput(store);
  await store.startTurn(sampleTurn("running", []));
  await store.snapshot();
  await store.close();
  await scene.wreck("requests_by_turn");

  const broken = await scene.open();
  await scene.talk(broken, "main", "after");
  await deed(other);
  await expect(broken.saveUnlinked()).rejects.toMatchObject({ code: "damaged" });
  await broken.close();
  const logged = fixture.logger.lines.map(({ message }) => message).join("\n");
  expect(logged).toContain("could not be saved");
  expect(logged).not.toContain("it is saved");

  const again = await scene.open();
  expect(scene.recoveries).toMatchObject([{ loss: "unlinked", isComplete: false, snapshotAtMs: expect.any(Number) as number }]);
  // Newer entries come from the plain files.
  expect(await textsOf(again, "id-main")).toEqual(["before", "asked in running", "after"]);
  // The snapshot does not know how it ended, so it is not repeated.
  expect(await again.readInput(input)).toMatchObject({ state: { type: "dead" } });
  expect(await again.resumeTurns()).toEqual([]);
  expect((await again.listSessions({ limit: 9 })).items.map(({ key }) => key)).not.toContain("agent:main:other");
});

test("rebuilds a deleted damaged database from the plain files when there is no snapshot", async () => {
  const store = await scene.open();
  await scene.talk(store, "main", "before");
  await store.close();
  await scene.wreck("requests_by_turn");
  const broken = await scene.open();
  await scene.removeFile();
  await expect(broken.saveUnlinked()).rejects.toMatchObject({ code: "damaged" });
  await broken.close();
  expect(await textsOf(await scene.open(), "id-main")).toEqual(["before"]);
  expect(scene.recoveries).toMatchObject([{ loss: "missing", isComplete: false }]);
});

test("ignores other programs that checkpoint, copy or read the database", async () => {
  const store = await scene.open();
  await scene.talk(store, "main", "one");
  const other = new DatabaseSync(fixture.file);
  other.exec("PRAGMA wal_checkpoint(TRUNCATE)");
  other.close();
  await copyFile(fixture.file, join(fixture.folder, "copy.sqlite"));
  expect(store.isUnlinked).toBe(false);
  await scene.talk(store, "main", "two");
  await store.snapshot();
  expect(store.isUnlinked).toBe(false);
  await store.close();
  const again = await scene.open();
  expect(scene.recoveries).toEqual([]);
  expect(await textsOf(again, "id-main")).toEqual(["one", "two"]);
});
