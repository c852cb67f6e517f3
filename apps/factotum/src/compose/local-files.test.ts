import { link, mkdir, mkdtemp, realpath, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { RunFacts } from "@factotum/agent-contract";
import type { LocalFile } from "@factotum/gateway";
import { createFileAccess } from "@factotum/tools";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createLocalFiles } from "./local-files.ts";

let home: string;
let workspace: string;
beforeEach(async () => {
  home = await realpath(await mkdtemp(join(tmpdir(), "factotum-files-")));
  workspace = join(home, "workspace");
  for (const name of ["workspace", "credentials", "state"]) await mkdir(join(home, name));
});
afterEach(() => rm(home, { recursive: true, force: true }));

function send(path: string): Promise<LocalFile> {
  const access = createFileAccess({ roots: () => [], home, protectedPaths: [], userHome: home });
  const protectedFolders = ["credentials", "state"].map((name) => join(home, name));
  const files = createLocalFiles(access, { protectedFolders, hasSecret: (text) => text.includes("s3cret-value") });
  return files.read(path, { run: { workspace, agentId: "main", owner: true } as RunFacts, maxBytes: 1_000, isInWorkspace: true });
}

test.each(["credentials", "state"])("a hard link to a file in %s is not sent", async (folder) => {
  await writeFile(join(home, folder, "file"), "anything");
  await link(join(home, folder, "file"), join(workspace, "hard.txt"));
  expect(await send("hard.txt")).toMatchObject({ type: "refused", reason: "not-allowed" });
});

test("a file that holds a known secret is not sent", async () => {
  await writeFile(join(workspace, "copy.txt"), "token: s3cret-value");
  expect(await send("copy.txt")).toMatchObject({ type: "refused", reason: "secret" });
});

test("other files are sent, also with several names in the workspace", async () => {
  await writeFile(join(workspace, "one.txt"), "hello");
  await link(join(workspace, "one.txt"), join(workspace, "two.txt"));
  expect(await send("two.txt")).toMatchObject({ type: "file" });
});
