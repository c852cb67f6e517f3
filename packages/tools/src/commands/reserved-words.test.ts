import { symlink } from "node:fs/promises";
import { join } from "node:path";
import { expect, test } from "vitest";
import { createToolRig } from "../../test/tool-rig.ts";
import { reservedWords } from "./reserved-words.ts";

test("are those that name the state folder, a protected file or a folder around them, however they are written", async () => {
  await using rig = await createToolRig({ userHome: "/nowhere" });
  const { base, home, workspace } = rig;
  await symlink(home, join(workspace, "link"));
  const files = await rig.files.forRun(rig.run);
  const found = (...words: readonly string[]): Promise<readonly string[]> => reservedWords(["cp", ...words], { cwd: workspace, files });
  const closed = [
    home,
    `${home}/a`,
    "../home/a",
    "link/a",
    `--to=${home}/a`,
    `-o${home}/a`,
    `host:${home}/a`,
    `a,${home}`,
    base,
    "..",
    "/",
  ];
  expect(await found(...closed)).toEqual(closed);
  expect(await found(".", "a", "sub/../a", "-r", "", "home", `${base}/other`, `${home}-other`, "x".repeat(5_000), "a\0b")).toEqual([]);
});

test("the program's own word is not one of them", async () => {
  await using rig = await createToolRig();
  const files = await rig.files.forRun(rig.run);
  expect(await reservedWords([`${rig.home}/tool`], { cwd: rig.workspace, files })).toEqual([]);
});

test("a protected file elsewhere counts, and its neighbours do not", async () => {
  await using rig = await createToolRig({ protectedPaths: ["/opt/factotum/config.json5"] });
  const files = await rig.files.forRun(rig.run);
  const words = ["/opt/factotum/config.json5", "/opt/factotum", "/opt/factotum/other.json5", "/opt/factotum/config.json5.bak"];
  expect(await reservedWords(["cat", ...words], { cwd: rig.workspace, files })).toEqual(words.slice(0, 2));
});

test("in a folder around the state folder every word counts, since programs search the folder they run in", async () => {
  await using rig = await createToolRig();
  const files = await rig.files.forRun(rig.run);
  expect(await reservedWords(["rg", "-uuu", "secret"], { cwd: rig.base, files })).toEqual(["-uuu", "secret"]);
  expect(await reservedWords(["rg", "-uuu", "secret"], { cwd: rig.workspace, files })).toEqual([]);
});
