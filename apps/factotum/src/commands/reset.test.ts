import { existsSync } from "node:fs";
import { copyFile, mkdir, mkdtemp, readdir, readFile, stat, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { pathToFileURL } from "node:url";
import { expect, test } from "vitest";
import { CliHome } from "../../test/cli.ts";

const MOVED = [
  "agents/main/sessions/a.jsonl",
  "agents/coder/sessions/b.jsonl.deleted.2026-01-30T12-00-01.000Z",
  "media/inbound/a/b.png",
  "state/factotum.sqlite",
  "state/factotum.sqlite-wal",
  "state/factotum.sqlite.v7.1",
  "state/snapshots/factotum-1.sqlite",
  "state/damaged-1/factotum.sqlite",
  "state/damage.json",
];
const KEPT = [
  "factotum.json5",
  "credentials/gateway-token",
  "workspace/MEMORY.md",
  "state/config-versions/1.json5",
  "agents/main/notes.md",
];

/** Ends the process after the first thing that it has moved. */
const KILL_AFTER_RENAME = `
  import fs from "node:fs/promises";
  import { syncBuiltinESMExports } from "node:module";
  const { rename } = fs;
  fs.rename = async (...names) => {
    await rename(...names);
    process.kill(process.pid, "SIGKILL");
  };
  syncBuiltinESMExports();
`;

async function fill(cli: CliHome): Promise<void> {
  for (const name of [...MOVED, ...KEPT]) {
    await mkdir(dirname(join(cli.factotumHome, name)), { recursive: true });
    await writeFile(join(cli.factotumHome, name), name);
  }
}

const resets = async (cli: CliHome): Promise<readonly string[]> =>
  (await readdir(cli.factotumHome)).filter((name) => name.startsWith("reset-"));

test("moves the conversations aside, keeps the rest, and says where they are", async () => {
  await using cli = await CliHome.create();
  await fill(cli);
  const { code, stdout } = await cli.run("reset", "--state", "--yes");
  expect(code).toBe(0);
  const [folder = ""] = await resets(cli);
  expect(stdout).toContain(join(cli.factotumHome, folder));
  for (const name of MOVED) {
    expect(await cli.read(join(folder, name))).toBe(name);
    await expect(readFile(join(cli.factotumHome, name))).rejects.toMatchObject({ code: "ENOENT" });
  }
  for (const name of KEPT) expect(await cli.read(name)).toBe(name);
  expect((await cli.run("reset", "--state")).stdout).toContain("nothing to move");
});

test("leaves an intact database wherever a kill interrupts it, and a second run moves the rest", async () => {
  await using cli = await CliHome.create();
  const state = join(cli.factotumHome, "state");
  await mkdir(join(cli.factotumHome, "agents/main/sessions"), { recursive: true });
  await mkdir(join(state, "snapshots"), { recursive: true });
  // A killed gateway: its last writes are in the log alone.
  const used = new DatabaseSync(join(state, "used.sqlite"));
  used.exec("PRAGMA journal_mode = WAL; CREATE TABLE said (word TEXT); INSERT INTO said VALUES ('plover')");
  for (const end of ["", "-wal"]) await copyFile(join(state, `used.sqlite${end}`), join(state, `factotum.sqlite${end}`));
  used.close();
  expect((await stat(join(state, "factotum.sqlite-wal"))).size).toBeGreaterThan(0);
  await writeFile(join(cli.factotumHome, "kill.mjs"), KILL_AFTER_RENAME);
  cli.env = { ...cli.env, NODE_OPTIONS: `--import=${pathToFileURL(join(cli.factotumHome, "kill.mjs")).href}` };
  // Reads a copy: opening the database itself would checkpoint its log.
  const words = async (folder: string): Promise<readonly unknown[]> => {
    const copy = await mkdtemp(join(cli.home, "looked-at-"));
    for (const name of await readdir(folder))
      if (/^factotum\.sqlite(?:-wal)?$/.test(name)) await copyFile(join(folder, name), join(copy, name));
    using database = new DatabaseSync(join(copy, "factotum.sqlite"));
    return database.prepare("SELECT word FROM said").all();
  };

  // Two folders and the database: it is killed after each of them.
  for (const isMoved of [false, false, true]) {
    const reset = cli.spawn("reset", "--state", "--yes");
    await reset.ended;
    expect(reset.child.signalCode).toBe("SIGKILL");
    const folders = isMoved ? (await resets(cli)).map((name) => join(cli.factotumHome, name, "state")) : [state];
    const found = folders.filter((folder) => existsSync(join(folder, "factotum.sqlite")));
    expect(await Promise.all(found.map(words))).toEqual([[{ word: "plover" }]]);
  }
  cli.env = { ...cli.env, NODE_OPTIONS: "" };
  expect((await cli.run("reset", "--state", "--yes")).stdout).toContain("nothing to move");
});

test("asks at a terminal, and takes anything but yes as no", async () => {
  await using cli = await CliHome.create();
  await fill(cli);
  expect((await cli.run("reset", "--state")).code).toBe(2);
  expect((await cli.runAsked(async () => false, "reset", "--state")).code).toBe(1);
  expect(await resets(cli)).toEqual([]);
  const asked: string[] = [];
  const yes = async (question: string): Promise<boolean> => asked.push(question) > 0;
  expect((await cli.runAsked(yes, "reset", "--state")).code).toBe(0);
  expect(asked).toEqual([expect.stringContaining(cli.factotumHome)]);
  expect(await resets(cli)).toHaveLength(1);
});
