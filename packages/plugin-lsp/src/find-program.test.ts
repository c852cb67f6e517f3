import { chmod, mkdir, mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openScene } from "../test/scene.ts";
import { findProgram } from "./find-program.ts";
import { knownServerSettings } from "./lsp-servers.ts";

const PROGRAMS = [
  { command: "tsc", args: ["--lsp"], minMajor: 7 },
  { command: "other", args: [] },
];

let folder: string;
beforeEach(async () => {
  folder = await realpath(await mkdtemp(join(tmpdir(), "lsp-find-")));
});
afterEach(async () => rm(folder, { recursive: true, force: true }));

async function addProgram(path: string, text = "#!/bin/sh\n"): Promise<string> {
  const full = join(folder, path);
  await mkdir(dirname(full), { recursive: true });
  await writeFile(full, text);
  await chmod(full, 0o755);
  return full;
}

const find = (searchPath: readonly string[], workspacePrograms = false) =>
  findProgram(PROGRAMS, {
    searchPath: searchPath.map((path) => join(folder, path)).join(":"),
    workspace: join(folder, "work"),
    workspacePrograms,
  })?.command;

test("finds the first program that is installed and new enough", async () => {
  expect(find(["bin"])).toBeUndefined();
  const other = await addProgram("bin/other");
  expect(find(["bin"])).toBe(other);
  await addProgram("lib/old/bin/tsc");
  await writeFile(join(folder, "lib/old/package.json"), '{ "version": "5.9.3" }');
  await symlink(join(folder, "lib/old/bin/tsc"), join(folder, "bin/tsc"));
  expect(find(["bin"])).toBe(other);
  await addProgram("lib/new/bin/tsc");
  await writeFile(join(folder, "lib/new/package.json"), '{ "version": "7.0.2" }');
  const launcher = await addProgram("more/tsc", '#!/bin/sh\nexec node  "$basedir/../lib/new/bin/tsc" "$@"\n');
  expect(find(["bin", "more"])).toBe(launcher);
  const newer = await addProgram(
    "newer/tsc",
    `#!/bin/sh\nexec node  "$basedir_abs"/'../lib/new/bin/tsc' "$@"\n# cmd-shim-target=../lib/new/bin/tsc\n`,
  );
  expect(find(["bin", "newer"])).toBe(newer);
});

test("takes programs of the workspace only where the owner allows it", async () => {
  const own = await addProgram("work/node_modules/.bin/other");
  await addProgram("work/bin/other");
  await mkdir(join(folder, "bin"));
  await symlink(own, join(folder, "bin/other"));
  expect(find(["bin", "work/bin"])).toBeUndefined();
  expect(find(["bin", "work/bin"], true)).toBe(own);
});

test(
  "a server that is looked for has tools once it is found and the workspace has files of it, and gives way to a configured one",
  { timeout: 60_000 },
  async () => {
    await using scene = await openScene({ searchPath: join(folder, "bin") });
    const settings = { ...knownServerSettings({})["bash"], programs: [{ command: "fake-lsp", args: [] }], env: scene.fake().env };
    const known = { ...scene.fake(), ...settings };
    await scene.write("a.sh", "def name\n");
    expect((await scene.source(known)).tools).toEqual([]);
    const [program] = scene.fake().programs;
    await addProgram("bin/fake-lsp", `#!/bin/sh\nexec '${program?.command ?? ""}' '${program?.args.join(" ") ?? ""}'\n`);
    const source = await scene.source(known);
    expect([source.problem, source.tools.map(({ name }) => name)]).toEqual([undefined, expect.arrayContaining(["lsp_hover_shellscript"])]);
    expect(Object.keys(knownServerSettings({ mine: scene.fake("", { languages: ["shellscript"] }) }))).not.toContain("bash");
  },
);
