import { appendFile, copyFile, mkdir, readdir, readFile, rename, rm, truncate, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { importedSession, NOW_MS, OWNER, sampleMessage, userEntry } from "../../../contract/samples.ts";
import type { SqliteFixture } from "../../../test/open-test-store.ts";
import { RecoveryScene, textsOf } from "../../../test/recovery-scene.ts";
import { findPendingRecovery, openSqliteStore, readDamageEvents } from "../../index.ts";
import type { SqliteStore, StoreRecovery } from "../../index.ts";
import { decodeId } from "../values/sequence-id.ts";

let scene: RecoveryScene;
let fixture: SqliteFixture;
beforeEach(async () => {
  scene = await RecoveryScene.create();
  ({ fixture } = scene);
});
afterEach(() => scene.remove());

async function keysOf(store: SqliteStore): Promise<readonly string[]> {
  const { items } = await store.listSessions({ limit: 100 });
  return items.map(({ key }) => key).toSorted();
}

const snapshots = async (): Promise<readonly string[]> => readdir(join(fixture.folder, "snapshots"));

/** Ways to lose a database file. */
const LOSSES: readonly [StoreRecovery["loss"], () => Promise<void>][] = [
  ["missing", () => scene.removeFile()],
  ["empty", () => truncate(fixture.file)],
  // Cut off within its first page.
  ["empty", () => truncate(fixture.file, 2_048)],
  [
    "replaced",
    async () => {
      await rename(fixture.folder, `${fixture.folder}-old`);
      const fresh = await openSqliteStore({ ...fixture.options, copies: { ...fixture.options.copies, agents: async () => [] } });
      await fresh.close();
      await rename(fixture.file, `${fixture.folder}-old/factotum.sqlite`);
      await rm(fixture.folder, { recursive: true });
      await rename(`${fixture.folder}-old`, fixture.folder);
    },
  ],
];

describe.each(LOSSES)("a database that is %s", (loss, lose) => {
  test("is rebuilt from the newest snapshot and the plain files", async () => {
    const store = await scene.open();
    await scene.talk(store, "main", "before");
    await store.snapshot();
    await scene.talk(store, "main", "after");
    await scene.talk(store, "other", "elsewhere");
    await store.close();
    const file = await readFile(fixture.copyPath("id-main"), "utf8");
    await lose();

    const again = await scene.open();
    expect(scene.recoveries).toMatchObject([
      {
        loss,
        isComplete: false,
        snapshotAtMs: NOW_MS + 1000,
        fromCopies: { entries: 4, conversations: 2, rebuiltKeys: ["agent:main:other"], setAside: [] },
      },
    ]);
    expect(await textsOf(again, "id-main")).toEqual(["before", "after"]);
    expect(await textsOf(again, "id-other")).toEqual(["elsewhere"]);
    expect(await again.readSession("agent:main:other")).toMatchObject({ sessionId: "id-other", isPrivate: false });
    expect(again.damage.list()).toMatchObject([
      { id: "d1", kind: "database", isComplete: false, path: scene.recoveries[0]?.damagedFolder },
    ]);
    expect(again.databaseId).not.toBe(store.databaseId);
    // The conversation continues, and its file keeps its content.
    await scene.talk(again, "main", "later");
    await again.flushCopies();
    const lines = (text: string): readonly string[] => text.split("\n").map((line) => line.replace(/"turnId":"[^"]*",/, ""));
    expect(lines(await readFile(fixture.copyPath("id-main"), "utf8"))).toEqual(expect.arrayContaining([...lines(file)]));
    expect(await textsOf(again, "id-main")).toEqual(["before", "after", "later"]);
  });

  test("is rebuilt from the plain files without a snapshot", async () => {
    const store = await scene.open();
    await scene.talk(store, "main", "one");
    await store.resetSession("agent:main:main", { sessionId: "id-second", isPrivate: true, nowMs: fixture.clock.nowMs + 500 });
    await store.appendEntry("id-second", userEntry("two"), { timestampMs: fixture.clock.nowMs + 600 });
    await scene.talk(store, "other", "three");
    await store.close();
    await lose();

    const again = await scene.open();
    expect(scene.recoveries).toMatchObject([
      { loss, fromCopies: { conversations: 3, rebuiltKeys: ["agent:main:main", "agent:main:other"] } },
    ]);
    expect(scene.recoveries[0]?.snapshotAtMs).toBeUndefined();
    expect(await keysOf(again)).toEqual(["agent:main:main", "agent:main:other"]);
    expect(await again.readSession("agent:main:main")).toMatchObject({ sessionId: "id-second", isPrivate: false });
    expect(await textsOf(again, "id-main")).toEqual(["one"]);
    expect(await textsOf(again, "id-second")).toEqual(["two"]);
    expect((await again.counts()).sessions).toBe(2);
    await again.close();
    await scene.open();
    expect(scene.recoveries).toHaveLength(1);
  });

  test("still knows which conversation was imported, and that a reset has ended that", async () => {
    const store = await scene.open();
    for (const name of ["imported", "renewed"])
      await store.importSession(importedSession({ key: `agent:main:${name}`, sessionId: `id-${name}`, importedAtMs: NOW_MS }));
    await store.resetSession("agent:main:renewed", { sessionId: "id-fresh", isPrivate: true, nowMs: fixture.clock.nowMs + 500 });
    await store.appendEntry("id-fresh", userEntry("two"), { timestampMs: fixture.clock.nowMs + 600 });
    await store.close();
    await lose();

    const again = await scene.open();
    expect((await again.readSession("agent:main:imported"))?.importedAtMs).toBe(NOW_MS);
    expect(await again.readSession("agent:main:renewed")).toMatchObject({ sessionId: "id-fresh" });
    expect((await again.readSession("agent:main:renewed"))?.importedAtMs).toBeUndefined();
  });
});

describe("a recovery", () => {
  test("skips snapshots that are damaged, empty or of another program", async () => {
    const store = await scene.open();
    await scene.talk(store, "main", "good");
    await store.snapshot();
    await store.close();
    const name = (age: number): string => join(fixture.folder, "snapshots", `factotum-${NOW_MS + age}-${store.databaseId}.sqlite`);
    const good = await readFile(name(1000));
    await writeFile(name(2000), "");
    await writeFile(name(3000), Buffer.from(good).fill(0x5a, 4096 * 3));
    const foreign = new DatabaseSync(name(4000));
    foreign.exec("CREATE TABLE other (n INTEGER PRIMARY KEY AUTOINCREMENT); INSERT INTO other DEFAULT VALUES");
    foreign.close();
    await rm(scene.copies, { recursive: true });
    await scene.removeFile();
    const again = await scene.open();
    expect(scene.recoveries).toMatchObject([{ snapshotAtMs: NOW_MS + 1000 }]);
    expect(await textsOf(again, "id-main")).toEqual(["good"]);
  });

  test.each(["requests_by_turn", "transcript"])("takes an older snapshot for one that opens and whose %s is damaged", async (part) => {
    const store = await scene.open();
    await scene.talk(store, "main", "good");
    await store.snapshot();
    await scene.talk(store, "main", "newer");
    await store.snapshot();
    await store.close();
    await rm(scene.copies, { recursive: true });
    await scene.removeFile();
    await scene.wreck(part, join(fixture.folder, "snapshots", `factotum-${NOW_MS + 2000}-${store.databaseId}.sqlite`));
    const again = await scene.open();
    expect(scene.recoveries).toMatchObject([{ snapshotAtMs: NOW_MS + 1000 }]);
    expect(await textsOf(again, "id-main")).toEqual(["good"]);
  });

  test("reuses no number that the lost database may have assigned", async () => {
    const store = await scene.open();
    await scene.talk(store, "main", "kept");
    await store.snapshot();
    const message = (name: string) => [sampleMessage(name), { admission: OWNER, receivedAtMs: NOW_MS }] as const;
    const inputs = await Promise.all(Array.from({ length: 50 }, async (_, index) => store.acceptInput(...message(`lost ${index}`))));
    await store.close();
    await scene.removeFile();
    const again = await scene.open();
    const numberOf = (id: string): number => decodeId("i", id) ?? Number.NaN;
    const lost = inputs.map(({ input }) => numberOf(input.id));
    const { input } = await again.acceptInput(...message("new"));
    // The first lost number, plus a thousand.
    expect(numberOf(input.id)).toBe(Math.min(...lost) + 1000);
  });

  test("prefers a used snapshot to a newer one of a database that was never used", async () => {
    const store = await scene.open();
    await scene.talk(store, "main", "good");
    await store.snapshot();
    await store.close();
    await rename(join(fixture.folder, "snapshots"), `${fixture.folder}-kept`);
    await rm(scene.copies, { recursive: true });
    await rm(join(fixture.folder, "damage.json"));
    await scene.removeFile();
    const fresh = await scene.open();
    fixture.clock.nowMs += 5000;
    await fresh.snapshot();
    await fresh.close();
    for (const name of await readdir(`${fixture.folder}-kept`))
      await rename(join(`${fixture.folder}-kept`, name), join(fixture.folder, "snapshots", name));
    const again = await scene.open();
    expect(scene.recoveries).toMatchObject([{ loss: "replaced", snapshotAtMs: NOW_MS + 1000 }]);
    expect(await textsOf(again, "id-main")).toEqual(["good"]);
  });

  test("keeps the snapshots of the lost database until the damage is acknowledged, also through a second loss", async () => {
    const store = await scene.open();
    await scene.talk(store, "main", "first");
    await store.snapshot();
    await store.close();
    const before = await snapshots();
    await scene.removeFile();

    const second = await scene.open();
    for (const text of ["second", "third", "fourth"]) {
      await scene.talk(second, "main", text);
      await second.snapshot();
    }
    expect(await snapshots()).toEqual(expect.arrayContaining([...before]));
    expect((await snapshots()).every((name) => name.endsWith(".sqlite"))).toBe(true);
    await second.close();
    await scene.removeFile();

    const third = await scene.open();
    expect(await textsOf(third, "id-main")).toEqual(["first", "second", "third", "fourth"]);
    expect(third.damage.list().map(({ id }) => id)).toEqual(["d1", "d2"]);
    for (let count = 0; count < 3; count += 1) {
      fixture.clock.nowMs += 1000;
      await third.snapshot();
    }
    expect(await snapshots()).toEqual(expect.arrayContaining([...before]));
    expect((await snapshots()).filter((name) => name.includes(second.databaseId)).length).toBeGreaterThan(0);

    expect(await third.damage.acknowledge()).toHaveLength(2);
    await third.snapshot();
    expect((await snapshots()).every((name) => name.includes(third.databaseId))).toBe(true);
    await third.close();
    expect((await scene.open()).damage.list()).toEqual([]);
    expect(scene.recoveries).toHaveLength(2);
  });

  test("keeps a snapshot of an earlier version, which has no id, until the damage is acknowledged", async () => {
    const store = await scene.open();
    await scene.talk(store, "main", "first");
    await store.snapshot();
    await store.close();
    const unnamed = `factotum-${NOW_MS}.sqlite`;
    const [named = ""] = await snapshots();
    await rename(join(fixture.folder, "snapshots", named), join(fixture.folder, "snapshots", unnamed));
    await scene.removeFile();
    const again = await scene.open();
    const days = async (count: number): Promise<void> => {
      for (let day = 0; day < count; day += 1) {
        fixture.clock.nowMs += 24 * 3_600_000;
        await again.snapshot();
      }
    };
    await days(4);
    expect(await snapshots()).toContain(unnamed);
    await again.damage.acknowledge();
    await days(1);
    expect(await snapshots()).not.toContain(unnamed);
  });

  test("keeps a live session even if there is a file of a deleted session with its id", async () => {
    const store = await scene.open();
    await scene.talk(store, "main", "kept");
    await store.patchSession("agent:main:main", { label: "mine" }, { nowMs: fixture.clock.nowMs });
    await store.snapshot();
    await store.close();
    const stamp = new Date(fixture.clock.nowMs).toISOString().replaceAll(":", "-");
    await copyFile(fixture.copyPath("id-main"), `${fixture.copyPath("id-main")}.deleted.${stamp}`);
    await scene.removeFile();
    const again = await scene.open();
    expect(scene.recoveries).toMatchObject([{ fromCopies: { rebuiltKeys: [] } }]);
    expect(await again.readSession("agent:main:main")).toMatchObject({ sessionId: "id-main", label: "mine" });
    expect(await textsOf(again, "id-main")).toEqual(["kept"]);
  });

  test("does not bring back what was deleted since the snapshot", async () => {
    const store = await scene.open();
    await scene.talk(store, "main", "kept");
    await scene.talk(store, "secret", "deleted");
    await store.snapshot();
    await store.deleteSession("agent:main:secret", { nowMs: fixture.clock.nowMs + 1 });
    await store.close();
    await scene.removeFile();
    const again = await scene.open();
    expect(await keysOf(again)).toEqual(["agent:main:main"]);
    expect(await textsOf(again, "id-secret")).toEqual([]);
    expect((await again.counts()).sessions).toBe(1);
    // Its file is removed when it expires, as usual.
    await again.maintain({ nowMs: fixture.clock.nowMs + 31 * 24 * 60 * 60_000 });
    expect(await readdir(scene.copies)).toEqual(["id-main.jsonl"]);
  });

  test("keeps a partly unreadable plain file aside, and restores the rest", async () => {
    const store = await scene.open();
    await scene.talk(store, "main", "one");
    await store.close();
    await appendFile(fixture.copyPath("id-main"), '{"type":"message","mess');
    await scene.removeFile();
    const again = await scene.open();
    expect(await textsOf(again, "id-main")).toEqual(["one"]);
    const [aside = ""] = scene.recoveries[0]?.fromCopies.setAside ?? [];
    expect(aside.startsWith(scene.recoveries[0]?.damagedFolder ?? "?")).toBe(true);
    expect(await readFile(aside, "utf8")).toContain('"mess');
  });

  test("also runs when the whole state folder is gone", async () => {
    const store = await scene.open();
    await scene.talk(store, "main", "one");
    await store.close();
    await rm(fixture.folder, { recursive: true });
    expect(await textsOf(await scene.open(), "id-main")).toEqual(["one"]);
  });

  test("restores files without a session key under import keys", async () => {
    const store = await scene.open();
    await scene.talk(store, "main", "old");
    await store.close();
    const path = fixture.copyPath("id-main");
    await writeFile(path, (await readFile(path, "utf8")).replace(',"sessionKey":"agent:main:main"', ""));
    await scene.removeFile();
    expect(await keysOf(await scene.open())).toEqual(["agent:main:import:id-main"]);
  });

  test("fills gaps of the damaged file and the snapshot from plain files", async () => {
    const store = await scene.open();
    for (let n = 0; n < 40; n += 1) await scene.talk(store, "main", `${n} ${"x".repeat(900)}`);
    await store.close();
    const connection = new DatabaseSync(fixture.file);
    const page = Number(
      connection
        .prepare("SELECT pageno FROM dbstat WHERE name = 'transcript' AND pagetype = 'leaf' ORDER BY pageno LIMIT 1 OFFSET 3")
        .get()?.["pageno"],
    );
    connection.close();
    const bytes = await readFile(fixture.file);
    await writeFile(fixture.file, bytes.fill(0x5a, (page - 1) * 4096, page * 4096));
    const broken = await scene.open();
    await broken.readTranscript("id-main", { limit: 100 }).catch(() => undefined);
    await broken.close();
    const again = await scene.open();
    expect(scene.recoveries).toMatchObject([{ loss: "structure", isComplete: false }]);
    expect(scene.recoveries[0]?.fromCopies.entries).toBeGreaterThan(0);
    expect((await textsOf(again, "id-main")).map((text) => Number(text.split(" ")[0]))).toEqual(Array.from({ length: 40 }, (_, n) => n));
  });

  test("refuses to start empty when no snapshot is usable, and names the command for a fresh start", async () => {
    const store = await scene.open();
    await store.snapshot();
    await store.close();
    for (const name of await snapshots()) await writeFile(join(fixture.folder, "snapshots", name), "rubbish");
    await scene.removeFile();
    await expect(scene.open()).rejects.toMatchObject({
      code: "damaged",
      message: expect.stringMatching(/factotum backup restore.*factotum reset --state/s) as string,
    });
    expect((await readdir(fixture.folder)).filter((name) => name.startsWith("damaged-") || name.startsWith("factotum"))).toEqual([]);
  });
});

test.each(LOSSES.slice(0, 2))(
  "a database that is %s before anything was copied is noticed, and the store starts empty",
  async (loss, lose) => {
    const store = await scene.open();
    await scene.talk(store, "main", "one");
    await store.close();
    await rm(scene.copies, { recursive: true });
    await lose();
    const pending = await findPendingRecovery(fixture.folder, fixture.options.copies);
    expect(pending).toMatchObject({ loss, text: expect.stringContaining("creates an empty database") as string });
    const again = await scene.open();
    expect(scene.recoveries).toMatchObject([{ loss, isEmpty: true, isComplete: false }]);
    expect(again.damage.list()).toMatchObject([{ kind: "database", text: expect.stringContaining("I begin empty") as string }]);
    expect(await findPendingRecovery(fixture.folder, fixture.options.copies)).toBeUndefined();
    await again.close();
    expect((await scene.open()).databaseId).toBe(again.databaseId);
    expect(scene.recoveries).toHaveLength(1);
  },
);

describe("the pending recovery", () => {
  test.each(LOSSES.slice(0, 2))("describes a database that is %s, and changes nothing", async (loss, lose) => {
    const store = await scene.open();
    await scene.talk(store, "main", "one");
    const look = async () => findPendingRecovery(fixture.folder, fixture.options.copies);
    expect(await look()).toBeUndefined();
    await store.close();
    await lose();
    const before = await readdir(fixture.folder);
    expect(await look()).toMatchObject({ loss, text: expect.stringContaining("there is no snapshot") as string });
    const folder = join(fixture.folder, "snapshots");
    await mkdir(folder, { recursive: true });
    await writeFile(join(folder, `factotum-${NOW_MS}-${store.databaseId}.sqlite`), "");
    expect(await look()).toMatchObject({ loss, snapshotAtMs: NOW_MS, fix: expect.stringContaining("factotum reset --state") as string });
    await rm(folder, { recursive: true });
    expect(await readdir(fixture.folder)).toEqual(before);
    await scene.open();
    expect(await look()).toBeUndefined();
  });

  test("is undefined in a new state folder", async () => {
    expect(await findPendingRecovery(fixture.folder, fixture.options.copies)).toBeUndefined();
  });
});

describe("no loss", () => {
  test("is reported for a new state folder, for one without sessions, or for foreign files", async () => {
    await mkdir(scene.copies, { recursive: true });
    await writeFile(join(scene.copies, "notes.jsonl"), '{"my":"notes"}\n');
    const theirs = [
      { type: "session", version: 3, id: "theirs" },
      { type: "message", id: "m1", message: { role: "user", content: "hello" } },
    ];
    await writeFile(join(scene.copies, "theirs.jsonl"), theirs.map((line) => `${JSON.stringify(line)}\n`).join(""));
    const unused = await scene.open();
    await unused.close();
    const store = await scene.open();
    await scene.talk(store, "main", "one");
    await store.snapshot();
    await store.deleteSession("agent:main:main", { nowMs: fixture.clock.nowMs });
    await store.close();
    const again = await scene.open();
    expect(await keysOf(again)).toEqual([]);
    expect(again.databaseId).toBe(store.databaseId);
    expect(scene.recoveries).toEqual([]);
    expect(again.damage.list()).toEqual([]);
  });

  test("is reported for a replaced database, but its predecessor's snapshots are kept and reported", async () => {
    const store = await scene.open();
    await scene.talk(store, "main", "one");
    await store.snapshot();
    await store.close();
    const before = await snapshots();
    await rename(join(fixture.folder, "snapshots"), `${fixture.folder}-kept`);
    await rm(scene.copies, { recursive: true });
    await rm(join(fixture.folder, "damage.json"));
    await scene.removeFile();
    const other = await scene.open();
    await scene.talk(other, "main", "another life");
    await other.close();
    await rename(`${fixture.folder}-kept`, join(fixture.folder, "snapshots"));

    const again = await scene.open();
    expect(scene.recoveries).toEqual([]);
    expect(await textsOf(again, "id-main")).toEqual(["another life"]);
    expect(again.damage.list()).toMatchObject([{ kind: "snapshots" }]);
    for (let count = 0; count < 4; count += 1) {
      fixture.clock.nowMs += 1000;
      await again.snapshot();
    }
    expect(await snapshots()).toEqual(expect.arrayContaining([...before]));
    await again.close();
    expect(readDamageEvents(fixture.folder)).toHaveLength(1);
    expect((await scene.open()).damage.list()).toHaveLength(1);
  });

  test("is assumed after an earlier report: each change of the database is reported, and its snapshots stay", async () => {
    const first = await scene.open();
    await scene.talk(first, "main", "one");
    await first.snapshot();
    await first.close();
    const kept = await snapshots();
    const [one, two] = [`${fixture.folder}-one`, `${fixture.folder}-two`];
    await copyFile(fixture.file, one);
    await rename(join(fixture.folder, "snapshots"), `${fixture.folder}-kept`);
    await rm(scene.copies, { recursive: true });
    await rm(join(fixture.folder, "damage.json"));
    await scene.removeFile();
    const second = await scene.open();
    await scene.talk(second, "another", "two");
    await second.close();
    await copyFile(fixture.file, two);
    await rename(`${fixture.folder}-kept`, join(fixture.folder, "snapshots"));
    const put = async (file: string): Promise<SqliteStore> => {
      await scene.removeFile();
      await copyFile(file, fixture.file);
      return scene.open();
    };

    const swapped = await put(two);
    expect(await swapped.damage.acknowledge()).toMatchObject([{ kind: "snapshots" }]);
    await swapped.close();
    const back = await put(one);
    expect(back.damage.list()).toEqual([]);
    await back.close();
    const again = await put(two);
    expect(again.damage.list()).toMatchObject([{ kind: "snapshots" }]);
    for (let count = 0; count < 4; count += 1) {
      fixture.clock.nowMs += 1000;
      await again.snapshot();
    }
    expect(await snapshots()).toEqual(expect.arrayContaining([...kept]));
    expect(scene.recoveries).toEqual([]);
  });
});
