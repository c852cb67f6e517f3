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
const binding = async (text: string): ReturnType<typeof boundFiles> =>
  boundFiles(await parseShellText(text), { cwd, searchPath: programs });
const bound = async (text: string) => (await binding(text)).files;

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
  expect(await bound("bash build.sh notes.md")).toEqual([
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

test.each([
  "bash -o pipefail x.sh",
  "bash -ex x.sh",
  ". ./x.sh",
  "source x.sh",
  "timeout 60 bash x.sh",
  "env A=b bash x.sh",
  "nohup ./x.sh",
  "bash < x.sh",
  "cat x.sh | bash",
  "bash -c '. ./x.sh'",
  "eval 'source x.sh'",
  "make -f x.sh",
  "make -fx.sh all",
  "make --file=x.sh",
  "echo $(bash -e x.sh)",
  "cd . && bash x.sh",
  "cd sub && bash ../x.sh",
])("binds the script of %s", async (text) => {
  await mkdir(path.join(cwd, "sub"));
  const script = path.join(cwd, "x.sh");
  await writeFile(script, "good");
  expect(await binding(text)).toMatchObject({ files: [{ path: script, digest: digest("good") }], isComplete: true });
});

test("binds modules of Python and the files that build programs read by themselves", async () => {
  await mkdir(path.join(cwd, "pack"));
  for (const name of ["mod.py", "pack/__main__.py", "Makefile", "package.json", "pack/Makefile"])
    await writeFile(path.join(cwd, name), name);
  const names = async (text: string): Promise<readonly string[]> => (await bound(text)).map((file) => path.relative(cwd, file.path));
  expect(await names("python3 -m mod")).toEqual(["mod.py"]);
  expect(await names("python3 -W ignore -m pack")).toEqual(["pack/__main__.py"]);
  expect(await names("make -s all")).toEqual(["Makefile"]);
  expect(await names("make -C pack")).toEqual(["Makefile", "pack/Makefile"]);
  expect(await names("npm run test")).toEqual(["package.json"]);
});

test.each([
  ['bash "$PWD/x.sh"', "bash ./x.sh"],
  ["for f in *.sh; do bash $f; done", "for f in *.sh; do cat $f; done"],
  ['cd "$HOME" && bash x.sh', 'cd "$HOME" && cat x.sh'],
  ["bash < $f", "cat < $f"],
  ["$tool x", "tool x"],
  ["echo 'a", "echo a"],
])("what %s runs is not known, unlike that of %s", async (open, known) => {
  expect((await binding(open)).isComplete).toBe(false);
  expect((await binding(known)).isComplete).toBe(true);
});
