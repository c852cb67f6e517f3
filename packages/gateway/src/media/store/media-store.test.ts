import { createHash } from "node:crypto";
import { mkdtemp, readdir, readFile, rm, stat, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { realClock, realRandom } from "../../../test/gateway-harness.ts";
import { inboundMediaFolder, mediaReference, MediaStore, parseMediaReference } from "./media-store.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const FACTS = {
  sessionId: "s-1",
  sessionKey: "agent:main:main",
  kind: "file",
  mimeType: "text/plain",
  extension: "txt",
  untrusted: true,
  fileName: "../../notes [1].txt",
} as const;

let home: string;
beforeEach(async () => {
  home = await mkdtemp(path.join(tmpdir(), "media-store-"));
});
afterEach(async () => rm(home, { recursive: true, force: true }));

function create(bounds: { readonly maxBytes?: number; readonly maxAgeMs?: number } = {}): MediaStore {
  return new MediaStore({ home, clock: realClock, random: realRandom, ...bounds });
}

/** Backdates a stored file. */
async function age(file: string, ageMs: number): Promise<void> {
  const seconds = (Date.now() - ageMs) / 1000;
  await utimes(file, seconds, seconds);
}

/** Everything below a folder, files and folders. */
async function everything(folder: string): Promise<string[]> {
  return readdir(folder, { recursive: true });
}

test("a file is found with its record, even by another store over the same folder", async () => {
  const bytes = Buffer.from("hello");
  const stored = await create().put(bytes, FACTS);
  expect(stored.path).toBe(path.join(home, "media", "inbound", "s-1", `${stored.id}.txt`));
  const later = create();
  const found = await later.find("s-1", stored.id);
  expect(found).toEqual(stored);
  expect(found).toMatchObject({ kind: "file", mimeType: "text/plain", sizeBytes: 5, untrusted: true, sessionKey: "agent:main:main" });
  expect(await later.read(stored)).toEqual(bytes);
});

test("ids are 128 random bits, and only our addresses are parsed", async () => {
  const store = create();
  const ids = await Promise.all(Array.from({ length: 20 }, async () => (await store.put(Buffer.from("x"), FACTS)).id));
  expect(new Set(ids).size).toBe(20);
  for (const id of ids) {
    expect(id).toMatch(/^[0-9a-f]{32}$/);
    expect(parseMediaReference(mediaReference(id))).toBe(id);
  }
  for (const text of [
    "media://inbound/../x",
    `media://inbound/${"A".repeat(32)}`,
    `media://inbound/${ids[0] ?? ""}/x`,
    "media://inbound/",
    ids[0] ?? "",
  ])
    expect(parseMediaReference(text)).toBeUndefined();
});

test("everything is private", async () => {
  await create().put(Buffer.from("x"), FACTS);
  for (const name of await everything(path.join(home, "media"))) {
    const stats = await stat(path.join(home, "media", name));
    expect(stats.mode & 0o777).toBe(stats.isDirectory() ? 0o700 : 0o600);
  }
});

test("a conversation finds its own files only; the folder for tools has no records", async () => {
  const store = create();
  const stored = await store.put(Buffer.from("x"), FACTS);
  expect(await store.find("s-2", stored.id)).toBeUndefined();
  expect(await store.find("s-1", "../../s-1")).toBeUndefined();
  expect(await readdir(inboundMediaFolder(home, "s-1"))).toEqual([`${stored.id}.txt`]);
});

test.each(["../../escape", "a/b", "", ".", "..", "x\0y", "-rf", "n".repeat(300)])(
  "the session id %j never becomes a path",
  async (sessionId) => {
    const stored = await create().put(Buffer.from("x"), { ...FACTS, sessionId });
    const folder = createHash("sha256").update(sessionId).digest("hex");
    expect(path.relative(home, stored.path)).toBe(path.join("media", "inbound", folder, `${stored.id}.txt`));
    expect(await create().find(sessionId, stored.id)).toEqual(stored);
  },
);

test("a replaced file is not read", async () => {
  const store = create();
  const stored = await store.put(Buffer.from("12345"), FACTS);
  await writeFile(path.join(home, "other"), "54321");
  await rm(stored.path);
  await symlink(path.join(home, "other"), stored.path);
  await expect(store.read(stored)).rejects.toThrow(/ELOOP/);
  await rm(stored.path);
  await writeFile(stored.path, "123456");
  await expect(store.read(stored)).rejects.toThrow(/not as it was received/);
});

test("a deleted conversation's files are deleted, and no others", async () => {
  const store = create();
  const gone = await store.put(Buffer.from("x"), FACTS);
  const kept = await store.put(Buffer.from("x"), { ...FACTS, sessionId: "s-2" });
  await store.removeSession("s-1");
  await store.removeSession("never");
  expect(await store.find("s-1", gone.id)).toBeUndefined();
  expect(await everything(path.join(home, "media"))).not.toContainEqual(expect.stringContaining("s-1"));
  expect(await store.find("s-2", kept.id)).toEqual(kept);
});

describe("limits", () => {
  test("old files are deleted, with their records and folders", async () => {
    const store = create();
    const old = await store.put(Buffer.from("x"), FACTS);
    const fresh = await store.put(Buffer.from("x"), { ...FACTS, sessionId: "s-2" });
    await age(old.path, 15 * DAY_MS);
    await age(path.dirname(old.path), 15 * DAY_MS);
    await create().pruneIfDue();
    expect(await store.find("s-1", old.id)).toBeUndefined();
    expect(await store.find("s-2", fresh.id)).toEqual(fresh);
    const left = await everything(path.join(home, "media"));
    expect(left.filter((name) => name.includes(old.id))).toEqual([]);
  });

  test("over the size the oldest are deleted first, until the rest fits", async () => {
    const store = create({ maxBytes: 25 });
    const stored = [];
    for (const minutes of [30, 10, 20, 40]) {
      const one = await store.put(Buffer.alloc(10), { ...FACTS, sessionId: `s-${minutes}` });
      await age(one.path, minutes * 60_000);
      stored.push({ minutes, one });
    }
    await store.pruneIfDue();
    const kept = await Promise.all(
      stored.map(async ({ minutes, one }) => ((await store.find(one.sessionId, one.id)) === undefined ? [] : [minutes])),
    );
    expect(kept.flat()).toEqual([10, 20]);
  });

  test("pruning runs once an hour, or after many files", async () => {
    const store = create({ maxBytes: 1_600 });
    await store.pruneIfDue();
    const old = await store.put(Buffer.alloc(10), FACTS);
    await age(old.path, 15 * DAY_MS);
    await store.pruneIfDue();
    expect(await store.find("s-1", old.id)).toEqual(old);
    await store.put(Buffer.alloc(100), FACTS);
    await store.pruneIfDue();
    expect(await store.find("s-1", old.id)).toBeUndefined();
  });

  test("leftovers of a crash are deleted: a file without a record by its age, a record without a file after an hour", async () => {
    const store = create();
    const stored = await store.put(Buffer.from("x"), FACTS);
    const record = path.join(home, "media", "records", "s-1", `${stored.id}.json`);
    expect(JSON.parse(await readFile(record, "utf8"))).not.toHaveProperty("path");
    await rm(stored.path);
    await create().pruneIfDue();
    expect((await stat(record)).isFile()).toBe(true);
    await age(record, 2 * 60 * 60 * 1000);
    await create().pruneIfDue();
    await expect(stat(record)).rejects.toThrow(/ENOENT/);
  });

  test("no files were ever received", async () => {
    await expect(create().pruneIfDue()).resolves.toBeUndefined();
  });
});
