import { mkdir, symlink } from "node:fs/promises";
import { join } from "node:path";
import { afterEach, beforeEach, expect, test } from "vitest";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import { createLsTool } from "./ls-tool.ts";

let rig: ToolRig;
beforeEach(async () => {
  rig = await createToolRig();
});
afterEach(() => rig[Symbol.asyncDispose]());

const ls = (args: { path?: string; limit?: number } = {}) => rig.call(createLsTool({ files: rig.files }), args);

test("lists the workspace by default: hidden entries, folders with a slash, links by name", async () => {
  await rig.put("workspace/b.txt", "");
  await rig.put("workspace/B.txt", "");
  await rig.put("workspace/.hidden", "");
  await mkdir(join(rig.workspace, "a"));
  await symlink("..", join(rig.workspace, "up"));
  expect(textOf(await ls())).toBe(".hidden\nB.txt\na/\nb.txt\nup\n");
});

test("an empty folder says so", async () => {
  await mkdir(join(rig.workspace, "a"));
  expect(textOf(await ls({ path: "a" }))).toBe("(empty folder)");
});

test("a truncated list says how many there are", async () => {
  for (const name of ["a", "b", "c"]) await rig.put(`workspace/${name}`, "");
  expect(textOf(await ls({ limit: 2 }))).toBe("a\nb\n[2 of 3 entries shown; use find with a pattern, or a higher limit.]\n");
});

test("a file is not a folder", async () => {
  await rig.put("workspace/a.txt", "");
  expect(textOf(await ls({ path: "a.txt" }))).toBe("a.txt is a file, not a folder.");
});
