import { randomUUID } from "node:crypto";
import { existsSync, watch } from "node:fs";
import { mkdir, mkdtemp, readdir, realpath, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { writePrivateFile } from "@factotum/config";
import { createFileAccess } from "@factotum/tools";
import { afterEach, beforeEach, expect, test } from "vitest";
import { removeTemporaryFiles } from "./remove-temporary-files.ts";

const STARTED_AT_MS = Date.now();
const MINUTE_MS = 60_000;
/** A process number larger than any system assigns. */
const GONE = 2 ** 30;

let root = "";
beforeEach(async () => {
  root = await realpath(await mkdtemp(join(tmpdir(), "factotum-temporary-")));
});
afterEach(() => rm(root, { recursive: true }));

async function put(name: string, ageMs: number): Promise<string> {
  const path = join(root, name);
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, "half");
  const atSeconds = (STARTED_AT_MS - ageMs) / 1000;
  await utimes(path, atSeconds, atSeconds);
  return path;
}

const ofProcess = (pid: number): string => `.factotum-${pid}-${randomUUID()}.tmp`;
const clean = async (options: { readonly maxEntries?: number } = {}): Promise<number> =>
  removeTemporaryFiles({
    folders: [join(root, "state"), join(root, "workspace")],
    ownFolders: [join(root, "state")],
    startedAtMs: STARTED_AT_MS,
    ...options,
  });

test("removes unfinished files of killed processes, in all folders", async () => {
  const left = [
    await put(`workspace/${ofProcess(GONE)}`, 10),
    await put(`workspace/a/b/c/${ofProcess(GONE)}`, MINUTE_MS),
    await put(`workspace/node_modules/x/${ofProcess(GONE)}`, MINUTE_MS),
    // In a container every process has the same number.
    await put(`state/${ofProcess(process.pid)}`, 10),
    // Names of earlier versions.
    await put(`state/snapshots/.${randomUUID()}.tmp`, 61 * MINUTE_MS),
    await put(`workspace/.factotum-${randomUUID()}.tmp`, 61 * MINUTE_MS),
  ];
  expect(await clean()).toBe(left.length);
  expect(left.filter((path) => existsSync(path))).toEqual([]);
});

test("does not touch files in use, or of others", async () => {
  const outside = await put(`elsewhere/${ofProcess(GONE)}`, MINUTE_MS);
  await mkdir(join(root, "workspace"));
  await symlink(join(root, "elsewhere"), join(root, "workspace", "link"));
  await symlink(outside, join(root, "workspace", ofProcess(GONE)));
  await mkdir(join(root, "workspace", ofProcess(GONE)));
  const kept = [
    outside,
    await put(`workspace/${ofProcess(process.ppid)}`, MINUTE_MS),
    await put(`workspace/${ofProcess(process.pid)}`, -MINUTE_MS),
    await put(`workspace/${ofProcess(GONE)}`, -MINUTE_MS),
    await put(`workspace/.factotum-${randomUUID()}.tmp`, MINUTE_MS),
    await put(`workspace/.${randomUUID()}.tmp`, 61 * MINUTE_MS),
    await put("workspace/notes.tmp", 61 * MINUTE_MS),
    await put("workspace/.factotum-1-draft.tmp", 61 * MINUTE_MS),
  ];
  expect(await clean()).toBe(0);
  expect(kept.filter((path) => !existsSync(path))).toEqual([]);
});

test("scans a bounded number of entries, folders of people before those of package managers", async () => {
  for (let n = 0; n < 50; n += 1) await put(`workspace/node_modules/p/${n}.js`, 0);
  const shallow = await put(`workspace/src/${ofProcess(GONE)}`, MINUTE_MS);
  expect(await clean({ maxEntries: 10 })).toBe(1);
  expect(existsSync(shallow)).toBe(false);
  expect(await removeTemporaryFiles({ folders: [join(root, "none")], ownFolders: [], startedAtMs: STARTED_AT_MS })).toBe(0);
});

test("knows the temporary names of the product", async () => {
  const workspace = join(root, "workspace");
  await mkdir(workspace);
  const names = new Set<string>();
  using _watch = { [Symbol.dispose]: () => watcher.close() };
  const watcher = watch(workspace, (_event, name) => void names.add(name ?? ""));
  const files = createFileAccess({ roots: () => [], home: join(root, "state"), userHome: root });
  const run = { agentId: "main", sessionId: "s", sessionKey: "k", workspace, owner: true } as Parameters<typeof files.forRun>[0];
  await (await files.forRun(run)).write("made.txt", "by a tool", { tainted: false });
  await writePrivateFile(join(workspace, "private.txt"), "by the gateway");
  await expect.poll(() => [...names].filter((name) => name.endsWith(".tmp")).length).toBe(2);
  const temporary = [...names].filter((name) => name.endsWith(".tmp"));
  expect((await readdir(workspace)).toSorted()).toEqual(["made.txt", "private.txt"]);
  const left = await Promise.all(temporary.map(async (name) => put(`workspace/${name}`, MINUTE_MS)));
  expect(await clean()).toBe(2);
  expect(left.filter((path) => existsSync(path))).toEqual([]);
});
