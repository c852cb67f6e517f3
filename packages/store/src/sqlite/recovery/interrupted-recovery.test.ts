import { spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, copyFileSync, cpSync, readdirSync, rmSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { OWNER, sampleMessage } from "../../../contract/samples.ts";
import { RecoveryScene, textsOf } from "../../../test/recovery-scene.ts";
import { findPendingRecovery, readDamageEvents } from "../../index.ts";

const CHILD = fileURLToPath(new URL("../../../test/recovery-child.ts", import.meta.url));

let scene: RecoveryScene;
beforeEach(async () => {
  scene = await RecoveryScene.create();
});
afterEach(() => scene.remove());

/** Opens the store of a folder in a process that is killed right before a file system change. */
async function openAndKill(root: string, before: string): Promise<void> {
  const child = spawn(process.execPath, ["--conditions=factotum-source", CHILD, root, before], {
    stdio: ["ignore", "pipe", "pipe"],
    env: { ...process.env, NODE_COMPILE_CACHE: `${scene.fixture.folder}-compiled` },
  });
  let [said, complaint] = ["", ""];
  child.stdout.setEncoding("utf8").on("data", (text: string) => (said += text));
  child.stderr.setEncoding("utf8").on("data", (text: string) => (complaint += text));
  const [, signal] = (await once(child, "close")) as [number | null, NodeJS.Signals | null];
  expect({ said: said.trim(), signal, complaint }).toEqual({ said: before, signal: "SIGKILL", complaint: "" });
}

/** The state of a killed gateway: a snapshot with one entry, a second entry in the database, a third only in its log, and a damaged structure. */
async function wreck(): Promise<string> {
  const store = await scene.open();
  await scene.talk(store, "main", "first");
  await store.snapshot();
  await scene.talk(store, "main", "second");
  await store.close();
  const again = await scene.open();
  await scene.talk(again, "main", "third");
  await again.acceptInput(sampleMessage("waiting"), { admission: OWNER, receivedAtMs: scene.fixture.clock.nowMs });
  const root = `${scene.fixture.folder}-killed`;
  cpSync(scene.fixture.folder, join(root, "state"), { recursive: true });
  rmSync(join(root, "state", "factotum.sqlite-shm"), { force: true });
  appendFileSync(join(root, "state", "factotum.sqlite.damaged"), "structure");
  return root;
}

/** Expects the final state: every entry, the waiting input, one folder and one record. */
async function expectRecovered(root: string): Promise<void> {
  const folder = join(root, "state");
  const store = await scene.open(folder);
  await store.removeUnfinished();
  expect(await textsOf(store, "id-main")).toEqual(["first", "second", "third"]);
  expect((await store.listInputs({ state: "waiting", limit: 5 })).items).toHaveLength(1);
  const asides = readdirSync(folder).filter((name) => name.startsWith("damaged-"));
  expect(readDamageEvents(folder)).toMatchObject([{ id: "d1", kind: "database", isComplete: true, path: join(folder, asides[0] ?? "") }]);
  expect(asides).toHaveLength(1);
  expect(readdirSync(join(folder, asides[0] ?? "")).toSorted()).toEqual(["factotum.sqlite", "factotum.sqlite-wal"]);
  expect(readdirSync(folder).filter((name) => /damaged$|\.recovery|recovering/.test(name))).toEqual([]);
}

/** File system changes of a recovery, in order: the operation, the name it affects, and how often that happened before. */
const STEPS = [
  "renameSync factotum.sqlite.recovery 1",
  "mkdir damaged 1",
  "rename factotum.sqlite-wal 1",
  "rename factotum.sqlite 1",
  "renameSync factotum.sqlite.recovery 2",
  "copyFile damaged.sqlite 1",
  "rename damage.json 1",
  "rename factotum.sqlite 2",
  "rm recovering 2",
  "rmSync factotum.sqlite.damaged 1",
  "rmSync factotum.sqlite.recovery 1",
];

describe("a recovery that is killed", { timeout: 60_000 }, () => {
  test("resumes from any point: nothing is lost, one folder, one record", async () => {
    const template = await wreck();
    const roots = STEPS.map((_, index) => `${template}-${index}`);
    for (const root of roots) cpSync(template, root, { recursive: true });
    for (let index = 0; index < STEPS.length; index += 2)
      await Promise.all([index, index + 1].map(async (one) => STEPS[one] && openAndKill(roots[one] ?? "", STEPS[one])));
    for (const root of roots) await expectRecovered(root);
  });

  test("resumes even when every attempt is killed", async () => {
    const root = await wreck();
    const kills = ["rename factotum.sqlite 1", "copyFile damaged.sqlite 1", "rename factotum.sqlite 1", "rename factotum.sqlite 1"];
    // The later attempts start from the build folder: the files set aside are not moved again.
    for (const kill of kills) await openAndKill(root, kill);
    expect((await findPendingRecovery(join(root, "state"), scene.fixture.options.copies))?.text).toContain("goes on restoring it");
    await expectRecovered(root);
  });

  test("does not touch a database that was put in its place in the meantime", async () => {
    const root = await wreck();
    const folder = join(root, "state");
    rmSync(scene.copies, { recursive: true });
    const [snapshot = ""] = readdirSync(join(folder, "snapshots"));
    await openAndKill(root, "copyFile damaged.sqlite 1");
    copyFileSync(join(folder, "snapshots", snapshot), join(folder, "factotum.sqlite"));
    expect(await textsOf(await scene.open(folder), "id-main")).toEqual(["first"]);
    expect(scene.recoveries).toEqual([]);
  });
});
