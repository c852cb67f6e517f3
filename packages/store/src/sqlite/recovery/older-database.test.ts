import { appendFile, copyFile, mkdir, readdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OWNER, sampleMessage } from "../../../contract/samples.ts";
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

const backup = (): string => `${fixture.folder}-backup`;

/** Puts the database into the state in which it was copied. */
async function goBack(): Promise<void> {
  await scene.removeFile();
  await copyFile(backup(), fixture.file);
}

/** A database that was copied after the first entry; once the copy is put back, later entries exist only in the plain files. */
async function begin(): Promise<SqliteStore> {
  const store = await scene.open();
  await scene.talk(store, "main", "first");
  await store.close();
  await copyFile(fixture.file, backup());
  return scene.open();
}

test("an older copy of the database is completed from the plain files, which stay complete", async () => {
  const store = await begin();
  await scene.talk(store, "main", "second");
  await scene.talk(store, "other", "third");
  await store.close();
  await goBack();

  const again = await scene.open();
  expect(scene.recoveries).toMatchObject([
    { loss: "older", isComplete: false, fromCopies: { entries: 4, conversations: 2, setAside: [] } },
  ]);
  expect(await textsOf(again, "id-main")).toEqual(["first", "second"]);
  expect(await textsOf(again, "id-other")).toEqual(["third"]);
  expect(again.damage.list()).toMatchObject([{ kind: "database", text: expect.stringContaining("older than the plain files") as string }]);
  await scene.talk(again, "main", "fourth");
  await again.flushCopies();
  const file = await readFile(fixture.copyPath("id-main"), "utf8");
  expect([...file.matchAll(/"text":"(\w+)"/g)].map(([, text]) => text)).toEqual(expect.arrayContaining(["first", "second", "fourth"]));

  await again.close();
  await scene.open();
  expect(scene.recoveries).toHaveLength(1);
});

test("a database that lost its log after a kill is completed from the plain files", async () => {
  const store = await begin();
  await scene.talk(store, "main", "second");
  await store.flushCopies();
  // The state after a kill without the log: the file as of its last checkpoint. The killed process still runs in this test, so use another folder.
  const folder = `${fixture.folder}-killed`;
  await mkdir(folder);
  await copyFile(backup(), join(folder, "factotum.sqlite"));
  await copyFile(join(fixture.folder, "damage.json"), join(folder, "damage.json"));
  const again = await scene.open(folder);
  expect(scene.recoveries).toMatchObject([{ loss: "older" }]);
  expect(await textsOf(again, "id-main")).toEqual(["first", "second"]);
});

test("an older copy is restored from a newer snapshot of the same database", async () => {
  const store = await begin();
  await scene.talk(store, "main", "second");
  await store.snapshot();
  const snapshotAtMs = fixture.clock.nowMs;
  await scene.talk(store, "main", "third");
  await store.close();
  await goBack();
  const again = await scene.open();
  expect(scene.recoveries).toMatchObject([{ loss: "older", snapshotAtMs, fromCopies: { entries: 2 } }]);
  expect(await textsOf(again, "id-main")).toEqual(["first", "second", "third"]);
});

test("unfinished work of an older copy is not repeated, and later deletions hold", async () => {
  const store = await scene.open();
  await scene.talk(store, "secret", "deleted");
  await scene.talk(store, "main", "first");
  const { input } = await store.acceptInput(sampleMessage("waiting"), { admission: OWNER, receivedAtMs: fixture.clock.nowMs });
  await store.close();
  await copyFile(fixture.file, backup());
  const newer = await scene.open();
  await newer.settleInputs([input.id], { type: "silent" });
  await newer.deleteSession("agent:main:secret", { nowMs: fixture.clock.nowMs + 1 });
  await scene.talk(newer, "main", "second");
  await newer.close();
  await goBack();
  const again = await scene.open();
  expect(scene.recoveries).toHaveLength(1);
  expect(await again.readInput(input.id)).toMatchObject({ state: { type: "dead" } });
  expect(await again.readSession("agent:main:secret")).toBeUndefined();
  expect(await textsOf(again, "id-main")).toEqual(["first", "second"]);
});

test("an interrupted recovery resumes as one of an older copy", async () => {
  const store = await begin();
  await scene.talk(store, "main", "second");
  await store.close();
  await goBack();
  const again = await scene.open();
  await again.close();
  await goBack();
  fixture.clock.nowMs += 1000;
  await appendFile(`${fixture.file}.damaged`, "older");
  const last = await scene.open();
  expect(scene.recoveries.map(({ loss }) => loss)).toEqual(["older", "older"]);
  expect(await textsOf(last, "id-main")).toEqual(["first", "second"]);
});

test("stale, torn, edited, deleted, reset, imported or foreign files do not indicate an older copy", async () => {
  const store = await scene.open();
  await scene.talk(store, "main", "first");
  await scene.talk(store, "secret", "deleted");
  await scene.talk(store, "earlier", "pruned");
  await store.resetSession("agent:main:earlier", { sessionId: "id-next", isPrivate: true, nowMs: fixture.clock.nowMs });
  await store.flushCopies();
  await store.deleteConversation("id-earlier", { nowMs: fixture.clock.nowMs });
  await store.deleteSession("agent:main:secret", { nowMs: fixture.clock.nowMs });
  await store.close();
  const path = fixture.copyPath("id-main");
  const [header = "", entry = ""] = (await readFile(path, "utf8")).split("\n");
  await appendFile(path, `${entry}\n{"type":"note","text":"mine"}\n${entry.slice(0, 40)}`);
  const folder = dirname(path);
  await copyFile(path, join(folder, "by-hand.jsonl"));
  await copyFile(path, join(folder, "id-secret.jsonl"));
  await appendFile(join(folder, "theirs.jsonl"), `${header.replace("id-main", "theirs")}\n{"type":"message","id":"m1"}\n`);
  const again = await scene.open();
  expect(scene.recoveries).toEqual([]);
  expect(again.damage.list()).toEqual([]);
  expect((await readdir(fixture.folder)).filter((name) => name.startsWith("damaged-"))).toEqual([]);
});
