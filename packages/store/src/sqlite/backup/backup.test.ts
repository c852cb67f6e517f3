import { copyFile, mkdir, readFile, rm, stat, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { messageId } from "@factotum/channel-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { OWNER, sampleMessage } from "../../../contract/samples.ts";
import { TEST_RANDOM } from "../../../test/open-test-store.ts";
import type { SqliteFixture } from "../../../test/open-test-store.ts";
import { RecoveryScene, textsOf } from "../../../test/recovery-scene.ts";
import { MIGRATIONS } from "../connection/schema.ts";
import { copyDatabase, inspectDatabase, settleRestoredDatabase } from "../../index.ts";

let scene: RecoveryScene;
let fixture: SqliteFixture;
beforeEach(async () => {
  scene = await RecoveryScene.create();
  ({ fixture } = scene);
});
afterEach(() => scene.remove());

const NEWEST = MIGRATIONS.at(-1)?.version ?? 0;
const target = (): string => `${fixture.folder}-copy.sqlite`;

test("a copy has all committed data, the log included, and reports how much of the plain files belongs to it", async () => {
  const store = await scene.open();
  await scene.talk(store, "main", "first");
  await store.flushCopies();
  await scene.talk(store, "main", "second");
  copyDatabase(fixture.file, target(), { secrets: true });
  await scene.talk(store, "other", "third");
  await store.flushCopies();

  expect((await stat(target())).mode & 0o777).toBe(0o600);
  const { version, sessions, copiedBytes } = await inspectDatabase(target());
  expect({ version, sessions, ids: [...copiedBytes.keys()] }).toEqual({ version: NEWEST, sessions: 1, ids: ["id-main"] });
  const known = (await readFile(fixture.copyPath("id-main"))).subarray(0, copiedBytes.get("id-main"));
  expect(known.toString()).toContain("first");
  expect(known.toString()).not.toContain("third");
  expect(() => copyDatabase(fixture.file, target(), { secrets: true })).toThrow(/.+/);
});

test("refuses a damaged, foreign or newer database", async () => {
  const store = await scene.open();
  for (let index = 0; index < 20; index += 1) await scene.talk(store, "main", `word${index}`);
  await store.close();
  copyDatabase(fixture.file, target(), { secrets: true });
  await scene.wreck("transcript", target());
  await expect(inspectDatabase(target())).rejects.toMatchObject({ code: "damaged" });
  await writeFile(target(), "no database at all, but long enough to be looked at");
  await expect(inspectDatabase(target())).rejects.toMatchObject({ code: "damaged" });
  await expect(inspectDatabase(`${target()}.missing`)).rejects.toMatchObject({ code: "damaged" });
  await copyFile(fixture.file, target());
  const set = (pragma: string): void => {
    using other = new DatabaseSync(target());
    other.exec(`PRAGMA ${pragma}`);
  };
  set("user_version = 99");
  await expect(inspectDatabase(target())).rejects.toMatchObject({
    code: "unsupported",
    message: expect.stringMatching(new RegExp(`99.*${NEWEST}`)) as string,
  });
  set(`user_version = ${NEWEST}`);
  set("application_id = 5");
  await expect(inspectDatabase(target())).rejects.toMatchObject({ code: "unsupported" });
});

test("a restored database continues next to its plain files, repeats nothing, and is not taken for a loss", async () => {
  const store = await scene.open();
  await scene.talk(store, "main", "first");
  await store.acceptInput(sampleMessage("waits"), { admission: OWNER, receivedAtMs: fixture.clock.nowMs });
  const receipt = { type: "receipt", targetId: messageId("m-1"), state: "read" } as const;
  await store.acceptInput(sampleMessage("seen", { event: receipt, text: "" }), { admission: OWNER, receivedAtMs: fixture.clock.nowMs });
  await store.flushCopies();
  const damage = await readFile(join(fixture.folder, "damage.json"));
  copyDatabase(fixture.file, target(), { secrets: true });
  await store.close();
  await rm(fixture.folder, { recursive: true });
  await mkdir(fixture.folder);
  await copyFile(target(), fixture.file);
  await writeFile(join(fixture.folder, "damage.json"), damage);
  const { copiedBytes } = await inspectDatabase(fixture.file);
  const copy = await readFile(fixture.copyPath("id-main"));
  await writeFile(fixture.copyPath("id-main"), copy.subarray(0, copiedBytes.get("id-main")));

  expect(settleRestoredDatabase({ ...fixture.options, random: TEST_RANDOM })).toEqual({ inputs: 1, outbound: 1, events: 1 });
  const again = await scene.open();
  expect(scene.recoveries).toEqual([]);
  expect(again.damage.list()).toEqual([]);
  expect(again.databaseId).not.toBe(store.databaseId);
  expect((await again.listInputs({ state: "waiting", limit: 9 })).items).toEqual([]);
  const letters = (await again.listDeadLetters({ limit: 9 })).items;
  expect(letters.map(({ type, reason }) => `${type}: ${reason}`).toSorted()).toEqual([
    expect.stringMatching(/^input: .*restored from a backup/),
    expect.stringMatching(/^outbound: .*restored from a backup/),
  ]);
  await scene.talk(again, "main", "second");
  await again.flushCopies();
  expect(await textsOf(again, "id-main")).toEqual(["first", "second"]);
  const words = [...(await readFile(fixture.copyPath("id-main"), "utf8")).matchAll(/"text":"(\w+)"/g)].map(([, text]) => text);
  expect(words).toEqual(expect.arrayContaining(["first", "second"]));
});

test("a copy without secrets does not contain them, not even in free pages", async () => {
  const store = await scene.open();
  const account = { channel: "feishu", accountId: "default" };
  const rows = [
    { key: "login", isSecret: true, json: "hush-hush ".repeat(50) },
    { key: "resume", isSecret: false, json: "session" },
  ];
  await store.commitProgress(account, {
    state: rows.map(({ key, isSecret, json }) => ({ type: "set" as const, key, isSecret, value: { type: "json" as const, json } })),
  });
  copyDatabase(fixture.file, target(), { secrets: false });
  const bytes = await readFile(target());
  expect(bytes.includes("hush-hush")).toBe(false);
  expect(bytes.includes("resume")).toBe(true);
  copyDatabase(fixture.file, `${target()}.whole`, { secrets: true });
  expect((await readFile(`${target()}.whole`)).includes("hush-hush")).toBe(true);
});
