import { createHash } from "node:crypto";
import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, rename, rm, stat, symlink, truncate, utimes, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { gunzipSync, gzipSync } from "node:zlib";
import type { Logger } from "@factotum/agent-contract";
import { statePaths } from "@factotum/config";
import { openSqliteStore } from "@factotum/store";
import { packTar, unpackTar, type TarEntry } from "modern-tar";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { CliHome, type CliResult } from "../../test/cli.ts";
import { sessionFolders } from "../compose/session-folders.ts";
import { holdHome } from "../runtime/hold-home.ts";
import { systemClock, systemRandom } from "../runtime/system-clock.ts";

const SECRET = ["credentials/gateway-token", "keys/anthropic", "state/config-versions/1.json5", "state/config.last-good.json5"];
const NEVER = [
  "logs/gateway.log",
  "reset-2026/media/x",
  "state/reserve",
  "state/gateway.json",
  "state/snapshots/factotum-1.sqlite",
  "state/code/x",
];
const KEPT = ["workspace/MEMORY.md", "media/inbound/a/b.png", "agents/main/sessions/old.jsonl"];

/** A name that is longer than a block of the archive. */
const LONG = `workspace/überlänge/${Array.from({ length: 3 }, () => "日本語".repeat(25)).join("/")}`;

const silent: Logger = {
  debug: () => undefined,
  info: () => undefined,
  warn: () => undefined,
  error: () => undefined,
  child: () => silent,
};

let cli: CliHome;
let file: string;
let outer: string;
beforeEach(async () => {
  cli = await CliHome.create();
  file = join(cli.home, "backup.tar.gz");
  outer = join(cli.home, "elsewhere", "coder");
});
afterEach(async () => cli[Symbol.asyncDispose]());

async function write(path: string, text: string, mode = 0o600): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, text, { mode });
}

const inHome = (name: string): string => join(cli.factotumHome, name);

/** Fills a state directory with every kind of file. */
async function fill(): Promise<void> {
  const config = {
    agents: { list: [{ id: "main" }, { id: "coder", workspace: outer }] },
    models: { providers: { anthropic: { apiKey: { file: "keys/anthropic" } }, openai: { apiKey: "sk-literal-secret" } } },
  };
  await write(inHome("factotum.json5"), `// Mine\n${JSON.stringify(config, null, 2)}`);
  const paths = statePaths(cli.env);
  const store = await openSqliteStore({
    folder: paths.stateFolder,
    copies: { ...sessionFolders(paths), cwd: () => paths.workspace },
    clock: systemClock,
    random: systemRandom,
    logger: silent,
  });
  await store.close();
  await write(inHome("workspace/MEMORY.md"), "The word is plover.");
  await write(inHome("workspace/bin/run.sh"), "#!/bin/sh\n", 0o755);
  await mkdir(inHome("workspace/empty"));
  await write(inHome(LONG), "long");
  await write(join(outer, "notes.md"), "outside");
  await write(inHome("media/inbound/a/b.png"), "png");
  await write(inHome("agents/main/sessions/old.jsonl"), "{}\n");
  for (const name of SECRET) await write(inHome(name), "sk-filed-secret");
  for (const name of NEVER) await write(inHome(name), "never");
  await write(inHome("workspace/.factotum-1-00000000-0000-4000-8000-000000000000.tmp"), "half");
  await symlink("/etc/passwd", inHome("workspace/link"));
}

/** Moves the state directory away, as for another machine, and restores the backup. */
async function restoreAnew(): Promise<CliResult> {
  await rename(cli.factotumHome, `${cli.factotumHome}.before`);
  return cli.run("backup", "restore", file);
}

test("a backup restores everything that belongs to a person, and nothing else", async () => {
  await fill();
  // Too large to be read into memory at once: it is copied first.
  await write(inHome("workspace/large.bin"), "x".repeat(5 * 1024 * 1024));
  const made = await cli.run("backup", "create", "--output", file);
  expect(made).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/written and verified[^]*0 sessions, \d+ files[^]*no credentials/) as string,
  });
  expect(made.stderr).toMatch(/not in the backup: .*workspace\/link: links are not stored/);
  expect(made.stderr).toMatch(/secrets as plain text.*models\.providers\.openai\.apiKey/);
  expect((await stat(file)).mode & 0o777).toBe(0o600);
  expect((await cli.run("backup", "verify", file)).stdout).toContain("is sound and complete");
  expect((await readdir(cli.home)).toSorted()).toEqual(["backup.tar.gz", "elsewhere", "state directory"]);

  const restored = await restoreAnew();
  expect(restored).toMatchObject({ code: 0, stderr: "" });
  for (const name of [...KEPT, LONG, "workspace/large.bin"])
    expect(await cli.read(name)).toBe(await readFile(join(`${cli.factotumHome}.before`, name), "utf8"));
  for (const name of [...SECRET, ...NEVER]) expect([name, existsSync(inHome(name))]).toEqual([name, false]);
  expect(await readdir(inHome("workspace"))).toEqual(["MEMORY.md", "bin", "empty", "large.bin", "überlänge"]);
  expect((await stat(inHome("workspace/bin/run.sh"))).mode & 0o777).toBe(0o700);
  expect((await stat(cli.factotumHome)).mode & 0o777).toBe(0o700);
  expect((await stat(inHome("workspace/MEMORY.md"))).mtimeMs).toBeLessThan(Date.now());
  // The external workspace is inside now; the configuration has the new path and keeps its comments.
  expect(await cli.read("workspaces/coder/notes.md")).toBe("outside");
  expect(restored.stdout).toContain(`was ${outer} and is ${inHome("workspaces/coder")} now.`);
  expect(await cli.read("factotum.json5")).toMatch(/^\/\/ Mine\n[^]*"workspace": "workspaces\/coder"/);
  expect((await cli.run("config", "validate")).code).toBe(0);
  expect((await readdir(cli.home)).toSorted()).toEqual(["backup.tar.gz", "elsewhere", "state directory", "state directory.before"]);
});

test("with --secrets it also contains the credentials", async () => {
  await fill();
  expect((await cli.run("backup", "create", "--secrets", "--output", file)).stderr).not.toContain("plain text");
  const { stdout } = await restoreAnew();
  expect(stdout).not.toContain("auth set");
  for (const name of SECRET) expect(await cli.read(name)).toBe("sk-filed-secret");
});

test("a backup contains the part of each plain file that its database knows", async () => {
  await fill();
  {
    using database = new DatabaseSync(inHome("state/factotum.sqlite"));
    const insert = "INSERT INTO conversations (session_id, session_key, agent_id, started_at, copied_bytes) VALUES (?, 'k', 'main', 0, ?)";
    database.prepare(insert).run("known", 5);
    database.prepare(insert).run("unwritten", 0);
  }
  for (const name of ["known", "unwritten", "later"]) await write(inHome(`agents/main/sessions/${name}.jsonl`), "12345\n67890\n");
  const afterwards = new Date(Date.now() + 60_000);
  await utimes(inHome("agents/main/sessions/later.jsonl"), afterwards, afterwards);
  await cli.run("backup", "create", "--output", file);
  await restoreAnew();
  expect((await readdir(inHome("agents/main/sessions"))).toSorted()).toEqual(["known.jsonl", "old.jsonl"]);
  expect(await cli.read("agents/main/sessions/known.jsonl")).toBe("12345");
});

test("a state directory without a database, in another place, is restored with its workspace", async () => {
  const { workspace } = statePaths(cli.env);
  await write(inHome("factotum.json5"), JSON.stringify({ agents: { defaults: { workspace } } }));
  await write(join(workspace, "MEMORY.md"), "plover");
  const folder = join(cli.home, "usb");
  await mkdir(folder);
  const made = JSON.parse((await cli.run("backup", "create", "--output", folder, "--json")).stdout) as { file: string };
  expect(made).toMatchObject({
    database: null,
    secrets: false,
    literalSecrets: [],
    file: expect.stringMatching(/usb\/factotum-backup-.*Z\.tar\.gz$/) as string,
  });
  cli.env = { ...cli.env, FACTOTUM_HOME: join(cli.home, "new", "home") };
  const { stdout } = await cli.run("backup", "restore", made.file, "--json");
  expect(JSON.parse(stdout)).toMatchObject({
    abandoned: null,
    movedWorkspaces: [{ agent: "main", to: inHome("workspace"), isConfigured: true }],
  });
  expect(JSON.parse((await cli.run("config", "get", "agents.defaults.workspace", "--json")).stdout)).toMatchObject({ value: "workspace" });
});

test("a restore elsewhere knows the attachments of sub-agents that it has, and none at the places that were backed up", async () => {
  await fill();
  const id = (number: number): string => `00000000-0000-4000-8000-00000000000${number}`;
  const attach = async (number: number, workspace: string, noted: string | undefined = workspace): Promise<void> => {
    await write(join(workspace, ".subagents", id(number), "notes.txt"), "three");
    if (noted !== "") await write(inHome(`state/attachments/${id(number)}.json`), JSON.stringify({ workspace: noted }));
  };
  await attach(1, inHome("workspace"));
  await attach(2, outer);
  await attach(3, inHome("sandboxes/agent-main"));
  // Written after the notes were backed up, removed before its folder was, and in a folder that is not backed up.
  await attach(4, inHome("workspace"), "");
  await write(inHome(`state/attachments/${id(5)}.json`), JSON.stringify({ workspace: inHome("workspace") }));
  await attach(6, join(cli.home, "project"));
  await cli.run("backup", "create", "--output", file);
  cli.env = { ...cli.env, FACTOTUM_HOME: join(cli.home, "new", "home") };
  expect(await cli.run("backup", "restore", file)).toMatchObject({ code: 0 });
  const notes = await Promise.all(
    [1, 2, 3, 4, 5, 6].map(async (number) => readFile(inHome(`state/attachments/${id(number)}.json`), "utf8").catch(() => "none")),
  );
  expect(notes).toEqual([
    ...["workspace", "workspaces/coder", "sandboxes/agent-main", "workspace"].map((path) => JSON.stringify({ workspace: inHome(path) })),
    "none",
    "none",
  ]);
});

describe("create", () => {
  test("overwrites nothing, and writes nothing into the state directory", async () => {
    await fill();
    await write(file, "mine");
    expect(await cli.run("backup", "create", "--output", file)).toMatchObject({
      code: 1,
      stderr: expect.stringContaining("exists already") as string,
    });
    expect(await readFile(file, "utf8")).toBe("mine");
    const inside = await cli.run("backup", "create", "--output", inHome("workspace/"));
    expect(inside).toMatchObject({ code: 1, stderr: expect.stringContaining("would lie in the state directory") as string });
    expect(await cli.run("backup", "create", "--output", join(cli.home, "no", "b.tar.gz"))).toMatchObject({ code: 1 });
  });

  test("says what to do about a damaged or a lost database, and leaves no files", async () => {
    await fill();
    const database = inHome("state/factotum.sqlite");
    await truncate(database, 8192);
    expect(await cli.run("backup", "create", "--output", file)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/damaged[^]*doctor --fix/) as string,
    });
    await rename(database, `${database}.away`);
    expect(await cli.run("backup", "create", "--output", file)).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/missing[^]*gateway start/) as string,
    });
    expect((await readdir(cli.home)).toSorted()).toEqual(["elsewhere", "state directory"]);
  });

  test("takes no database of another program for a newer one", async () => {
    await fill();
    const database = inHome("state/factotum.sqlite");
    await rm(database);
    using other = new DatabaseSync(database);
    other.exec("CREATE TABLE notes (text TEXT)");
    const { code, stderr } = await cli.run("backup", "create", "--output", file);
    expect([code, stderr]).toEqual([1, expect.stringMatching(/no database of Factotum[^]*factotum doctor/)]);
    expect(stderr).not.toContain("newer");
  });

  test("needs a readable configuration and a state directory", async () => {
    expect((await cli.run("backup", "create", "--output", file)).stderr).toContain("nothing to back up");
    await write(inHome("factotum.json5"), "{ agents: 7 }");
    expect((await cli.run("backup", "create", "--output", file)).code).toBe(4);
  });

  test("leaves no file of the name when it is stopped or killed", async () => {
    await fill();
    const stopped = await cli.runWith({ signal: AbortSignal.abort() }, "backup", "create", "--output", file);
    expect(stopped).toMatchObject({ code: 1, stderr: expect.stringContaining("nothing was written") as string });
    expect((await readdir(cli.home)).toSorted()).toEqual(["elsewhere", "state directory"]);
    await killAt("link");
    await cli.process("backup", "create", "--output", file);
    expect(existsSync(file)).toBe(false);
    cli.env = { ...cli.env, NODE_OPTIONS: "" };
    expect((await cli.run("backup", "create", "--output", file)).code).toBe(0);
  });
});

/** Ends every process of the command before its first call of this function of `node:fs/promises`. */
async function killAt(name: "link" | "rename" | "utimes"): Promise<void> {
  const program = `
    import fs from "node:fs/promises";
    import { syncBuiltinESMExports } from "node:module";
    fs.${name} = async () => process.kill(process.pid, "SIGKILL");
    syncBuiltinESMExports();
  `;
  const preload = join(cli.home, "elsewhere", "kill.mjs");
  await writeFile(preload, program);
  cli.env = { ...cli.env, NODE_OPTIONS: `--import=${pathToFileURL(preload).href}` };
}

describe("restore", () => {
  test("refuses a state directory that is not empty or in use, and says what to do", async () => {
    await fill();
    await cli.run("backup", "create", "--output", file);
    const before = await readdir(cli.factotumHome);
    const full = await cli.run("backup", "restore", file);
    expect(full).toMatchObject({ code: 1, stderr: expect.stringMatching(/is not empty[^]*Move it aside: mv "/) as string });
    using _held = await holdHome(statePaths(cli.env));
    const used = await cli.run("backup", "restore", file);
    expect(used).toMatchObject({ code: 1, stderr: expect.stringMatching(/A gateway uses[^]*gateway stop/) as string });
    expect((await readdir(cli.factotumHome)).toSorted()).toEqual(before.toSorted());
  });

  test.each(["utimes", "rename"] as const)(
    "that is killed before %s leaves an empty state directory, and the next one completes",
    async (name) => {
      await fill();
      await cli.run("backup", "create", "--output", file);
      await rename(cli.factotumHome, `${cli.factotumHome}.before`);
      await mkdir(cli.factotumHome);
      await killAt(name);
      await cli.process("backup", "restore", file);
      expect(await readdir(cli.factotumHome)).toEqual([]);
      expect((await readdir(cli.home)).filter((one) => one.includes(".restoring-"))).toHaveLength(1);
      cli.env = { ...cli.env, NODE_OPTIONS: "" };
      expect(await cli.run("backup", "restore", file)).toMatchObject({ code: 0 });
      expect((await readdir(cli.home)).filter((one) => one.includes(".restoring-"))).toEqual([]);
      for (const kept of KEPT) expect(existsSync(inHome(kept))).toBe(true);
    },
  );

  test("refuses a database that is newer than the program", async () => {
    await fill();
    await cli.run("backup", "create", "--output", file);
    const newer = join(cli.home, "newer.sqlite");
    await alter((entries) => entries, {
      database: async (bytes) => {
        await writeFile(newer, bytes);
        using database = new DatabaseSync(newer);
        database.exec("PRAGMA user_version = 99");
        database.close();
        return readFile(newer);
      },
    });
    await rename(cli.factotumHome, `${cli.factotumHome}.before`);
    for (const command of ["verify", "restore"]) {
      expect(await cli.run("backup", command, file)).toMatchObject({
        code: 1,
        stderr: expect.stringMatching(/version 99[^]*Install Factotum 0\.0\.0-test or newer/) as string,
      });
    }
    expect(existsSync(cli.factotumHome)).toBe(false);
  });
});

describe("verify and restore", () => {
  const fails = async (words: RegExp): Promise<void> => {
    expect(await cli.run("backup", "verify", file)).toMatchObject({ code: 1, stderr: expect.stringMatching(words) as string });
    await rename(cli.factotumHome, `${cli.factotumHome}.before`).catch(() => undefined);
    expect(await cli.run("backup", "restore", file)).toMatchObject({ code: 1, stderr: expect.stringMatching(words) as string });
    expect((await readdir(cli.home)).filter((name) => name.startsWith("state directory") && !name.endsWith(".before"))).toEqual([]);
  };
  beforeEach(async () => {
    await fill();
    await cli.run("backup", "create", "--output", file);
  });

  test("detect every truncation and every flipped byte", async () => {
    const sound = await readFile(file);
    for (const part of [0.1, 0.5, 0.99]) {
      await writeFile(file, sound.subarray(0, Math.floor(sound.length * part)));
      await fails(/is incomplete|is damaged/);
    }
    for (const part of [0.01, 0.3, 0.6, 0.9, 0.999]) {
      const changed = Buffer.from(sound);
      const place = Math.floor(sound.length * part);
      changed[place] = (changed[place] ?? 0) ^ 0xff;
      await writeFile(file, changed);
      await fails(/is incomplete|is damaged|is no backup|is refused/);
    }
  });

  test("detect a changed, missing or additional file, and a changed list", async () => {
    const nameOf = ({ header }: TarEntry): string => header.name;
    const memory = "home/workspace/MEMORY.md";
    const sound = await readFile(file);
    const isManifest = (entry: TarEntry): boolean => nameOf(entry) === "manifest.json";
    const cases: readonly [RegExp, (entries: readonly TarEntry[]) => readonly TarEntry[]][] = [
      [/MEMORY\.md has changed/, (all) => all.map((one) => (nameOf(one) === memory ? { ...one, body: "The word is heron.." } : one))],
      [/MEMORY\.md is missing/, (all) => all.filter((one) => nameOf(one) !== memory)],
      [/new is not in its list/, (all) => [...all.slice(0, -1), named("home/new"), ...all.slice(-1)]],
      [/entries after its list/, (all) => [...all, named("home/new")]],
      [/is incomplete: it ends before/, (all) => all.filter((one) => !isManifest(one))],
      [/list of files cannot be read/, (all) => all.map((one) => (isManifest(one) ? named("manifest.json") : one))],
      [/is no backup of Factotum/, (all) => all.slice(1)],
      [/newer Factotum \(9\.9\)[^]*Install Factotum 9\.9/, (all) => [head({ format: 2, version: "9.9", createdAtMs: 0 }), ...all.slice(1)]],
    ];
    for (const [words, change] of cases) {
      await writeFile(file, sound);
      await alter(change);
      await fails(words);
    }
  });

  test("refuse paths outside of the state directory, links, and duplicate names", async () => {
    const sound = await readFile(file);
    const cases = [
      ["/etc/cron.d/evil", "file"],
      ["home/../../evil", "file"],
      ["home//evil", "file"],
      ["home/.", "directory"],
      ["../evil", "directory"],
      ["evil", "file"],
      ["home/workspace/evil", "symlink"],
      ["home/workspace/evil", "link"],
      ["home/workspace/evil", "fifo"],
      ["home/workspace/MEMORY.md", "file"],
    ] as const;
    for (const [name, type] of cases) {
      await writeFile(file, sound);
      await alter((all) => [...all.slice(0, -1), { header: { name, type, size: 0, linkname: "/etc/passwd" } }, ...all.slice(-1)]);
      await fails(/is refused/);
    }
    expect(existsSync(join(cli.home, "evil"))).toBe(false);
  });

  test("report a missing file, or one that is not a backup", async () => {
    await writeFile(file, "not at all");
    await fails(/is no backup of Factotum/);
    await writeFile(file, gzipSync(Buffer.alloc(2048)));
    await fails(/is no backup of Factotum|is incomplete/);
    await rm(file);
    await fails(/There is no file/);
  });
});

const named = (name: string): TarEntry => ({ header: { name, type: "file", size: 2 }, body: "{}" });
const head = (value: object): TarEntry => {
  const body = JSON.stringify(value);
  return { header: { name: "factotum-backup.json", type: "file", size: body.length }, body };
};

/** Changes the content of a backup; `database` also corrects the list of files. */
async function alter(
  change: (entries: readonly TarEntry[]) => readonly TarEntry[],
  { database }: { readonly database?: (bytes: Uint8Array) => Promise<Uint8Array> } = {},
): Promise<void> {
  const entries: TarEntry[] = (await unpackTar(gunzipSync(await readFile(file)))).map(({ header, data }) => ({ header, body: data }));
  if (database !== undefined) {
    const stored = entries.find(({ header }) => header.name === "home/state/factotum.sqlite");
    const list = entries.at(-1);
    if (stored === undefined || list === undefined) throw new Error("the backup has no database");
    const before = Buffer.from(stored.body as Uint8Array);
    const after = await database(before);
    const sha256 = (bytes: Uint8Array): string => createHash("sha256").update(bytes).digest("hex");
    const text = Buffer.from(list.body as Uint8Array)
      .toString()
      .replace(sha256(before), sha256(after));
    stored.body = after;
    list.body = text;
  }
  await writeFile(file, gzipSync(await packTar([...change(entries)])));
}
