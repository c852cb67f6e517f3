import { mkdir, mkdtemp, readdir, readFile, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createMemoryLogger } from "../../test/gateway-harness.ts";
import { AttachmentFolders, attachmentPaths } from "./attachment-folders.ts";

const FILES = [{ name: "notes.txt", data: Buffer.from("three") }];

let base: string;
let workspace: string;
let logger: ReturnType<typeof createMemoryLogger>;
let folders: AttachmentFolders;
beforeEach(async () => {
  base = await mkdtemp(path.join(tmpdir(), "attachments-"));
  workspace = path.join(base, "workspace");
  await mkdir(workspace);
  logger = createMemoryLogger();
  folders = new AttachmentFolders({ home: path.join(base, "home"), logger });
});
afterEach(() => rm(base, { recursive: true, force: true }));

test("files are where their paths say, out of version control, and gone with their sub-agent", async () => {
  expect(await folders.write("one", { workspace, files: FILES })).toBeUndefined();
  expect(await folders.write("two", { workspace, files: FILES })).toBeUndefined();
  const [{ path: file } = { path: "" }] = attachmentPaths("one", FILES);
  expect(await readFile(path.join(workspace, file), "utf8")).toBe("three");
  expect(await readFile(path.join(workspace, ".subagents/one/.gitignore"), "utf8")).toBe("*\n");
  await folders.remove("one");
  expect(await readdir(path.join(workspace, ".subagents"))).toEqual(["two"]);
  await folders.remove("two");
  await folders.remove("two");
  expect(await readdir(workspace)).toEqual([]);
});

test("the next start removes the files of sub-agents that it does not know", async () => {
  for (const id of ["known", "lost"]) await folders.write(id, { workspace, files: FILES });
  const next = new AttachmentFolders({ home: path.join(base, "home"), logger });
  await next.sweep((id) => id === "known");
  expect(await readdir(path.join(workspace, ".subagents"))).toEqual(["known"]);
  await rm(workspace, { recursive: true });
  await next.sweep(() => false);
  expect(logger.lines).toEqual([]);
});

test("no link is followed, neither to write nor to remove", async () => {
  const elsewhere = path.join(base, "elsewhere");
  await mkdir(path.join(elsewhere, "two"), { recursive: true });
  await writeFile(path.join(elsewhere, "two", "kept.txt"), "mine");
  await symlink(elsewhere, path.join(workspace, ".subagents"));
  expect(await folders.write("one", { workspace, files: FILES })).toMatch(/could not be written.*\.subagents there/);
  expect(await readdir(elsewhere)).toEqual(["two"]);
  await rm(path.join(workspace, ".subagents"));
  await folders.write("two", { workspace, files: FILES });
  await rm(path.join(workspace, ".subagents"), { recursive: true });
  await symlink(elsewhere, path.join(workspace, ".subagents"));
  await folders.remove("two");
  expect(await readdir(path.join(elsewhere, "two"))).toEqual(["kept.txt"]);
});

test("files that cannot be written leave nothing, and say why", async () => {
  await writeFile(path.join(workspace, ".subagents"), "a file");
  expect(await folders.write("one", { workspace, files: FILES })).toMatch(/\.subagents there is no folder\. Remove or rename it\./);
  await rm(path.join(workspace, ".subagents"));
  await expect(folders.write("one", { workspace, files: [...FILES, { name: "no/folder.txt", data: Buffer.from("") }] })).rejects.toThrow(
    "ENOENT",
  );
  expect(await readdir(workspace)).toEqual([]);
  expect(await readdir(path.join(base, "home/state/attachments"))).toEqual([]);
});
