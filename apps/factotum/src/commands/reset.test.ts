import { mkdir, readdir, readFile, writeFile } from "node:fs/promises";
import { dirname, join } from "node:path";
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

async function fill(cli: CliHome): Promise<void> {
  for (const name of [...MOVED, ...KEPT]) {
    await mkdir(dirname(join(cli.factotumHome, name)), { recursive: true });
    await writeFile(join(cli.factotumHome, name), name);
  }
}

const resets = async (cli: CliHome): Promise<readonly string[]> =>
  (await readdir(cli.factotumHome)).filter((name) => name.startsWith("reset-"));

test("moves what was said aside, keeps the rest, and says where it is", async () => {
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

test("asks at a terminal, and takes everything but a yes for a no", async () => {
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
