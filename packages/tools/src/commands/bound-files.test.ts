import { createHash } from "node:crypto";
import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { boundFiles } from "./bound-files.ts";
import { parseShellText } from "./shell-text.ts";

let cwd = "";
let programs = "";
beforeEach(async () => {
  cwd = await realpath(await mkdtemp(path.join(tmpdir(), "factotum-bound-")));
  programs = path.join(cwd, "programs");
  await mkdir(programs);
});
afterEach(() => rm(cwd, { recursive: true }));

async function program(name: string, content: string): Promise<string> {
  const file = path.join(programs, name);
  await writeFile(file, content);
  await chmod(file, 0o755);
  return file;
}

const digest = (content: string): string => createHash("sha256").update(content).digest("hex");
const bound = async (text: string) => boundFiles(await parseShellText(text), { cwd, searchPath: programs });

test("the programs of every command are bound, by their content, behind their links", async () => {
  const real = await program("tool-1.2", "first");
  await symlink("tool-1.2", path.join(programs, "tool"));
  const other = await program("other", "second");
  const expected = [
    { path: other, digest: digest("second") },
    { path: real, digest: digest("first") },
  ];
  expect(await bound("tool a | other && tool b")).toEqual(expected);
  expect(await bound("echo $(other) > x; tool")).toEqual(expected);
  await writeFile(real, "changed");
  expect(await bound("tool")).toEqual([{ path: real, digest: digest("changed") }]);
});

test("a script is bound that an interpreter gets, or that is called by its path; not the files that a program reads", async () => {
  const shell = await program("bash", "shell");
  await writeFile(path.join(cwd, "build.sh"), "make");
  await writeFile(path.join(cwd, "notes.md"), "notes");
  await program("cat", "cat");
  expect(await bound("bash -e build.sh notes.md")).toEqual([
    { path: path.join(cwd, "build.sh"), digest: digest("make") },
    { path: shell, digest: digest("shell") },
  ]);
  expect((await bound("./build.sh")).map((file) => file.path)).toEqual([path.join(cwd, "build.sh")]);
  expect((await bound("cat notes.md")).map((file) => file.path)).toEqual([path.join(programs, "cat")]);
});

test("a builtin, a folder, a file that nobody may run and an unreadable text have none", async () => {
  await mkdir(path.join(programs, "folder"));
  await writeFile(path.join(programs, "plain"), "");
  for (const text of ["cd x", "folder", "plain", "$x", "missing"]) expect(await bound(text)).toEqual([]);
});
