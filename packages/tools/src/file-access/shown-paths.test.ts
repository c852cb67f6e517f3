import { symlink } from "node:fs/promises";
import { join } from "node:path";
import type { JsonObject } from "@factotum/agent-contract";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { createToolRig, textOf, type ToolRig } from "../../test/tool-rig.ts";
import { createEditTool } from "../files/edit-tool.ts";
import { createLsTool } from "../files/ls-tool.ts";
import { createReadTool } from "../files/read-tool.ts";
import { createWriteTool } from "../files/write-tool.ts";
import { createFindTool } from "../search/find-tool.ts";
import { createGrepTool } from "../search/grep-tool.ts";

let rig: ToolRig;
beforeEach(async () => {
  rig = await createToolRig({ roots: (base) => [{ type: "owner", path: join(base, "documents"), writable: false }] });
  await rig.put("workspace/notes.md", "notes");
  await rig.put("secret.txt", "SECRET");
  await rig.put("workspace2/other.txt", "SECRET");
  await rig.put("home/factotum.json5", "SECRET");
  await rig.put("documents/letter.txt", "letter");
});
afterEach(async () => rig[Symbol.asyncDispose]());

describe("a run of somebody who is not the owner", () => {
  test.each<[string, (base: string) => JsonObject]>([
    ["read", () => ({ path: "../secret.txt" })],
    ["read", () => ({ path: "missing.txt" })],
    ["read", () => ({ path: "../home/factotum.json5" })],
    ["read", () => ({ path: "folder" })],
    ["read", () => ({ path: "out.txt" })],
    ["read", (base) => ({ path: join(base, "secret.txt") })],
    ["ls", () => ({ path: ".." })],
    ["ls", () => ({ path: "../documents/none" })],
    ["ls", () => ({ path: "notes.md" })],
    ["find", () => ({ path: "../workspace2", pattern: "*" })],
    ["grep", () => ({ path: "../workspace2", pattern: "x" })],
    ["write", () => ({ path: "../secret.txt", content: "x" })],
    ["write", () => ({ path: "../documents/letter.txt", content: "x" })],
    ["write", () => ({ path: "notes.md/x", content: "x" })],
    ["edit", () => ({ path: "../secret.txt", edits: [{ oldText: "a", newText: "b" }] })],
    ["edit", () => ({ path: "none.md", edits: [{ oldText: "a", newText: "b" }] })],
  ])("gets no absolute path in an error of %s (%#)", async (name, args) => {
    await rig.put("workspace/folder/x", "x");
    await symlink(join(rig.base, "secret.txt"), join(rig.workspace, "out.txt"));
    const { files } = rig;
    const tools = [
      createReadTool({ files, maxResultChars: 16_000, maxImageBytes: 1_000, readPdf: async () => ({ type: "failed", reason: "damaged" }) }),
      createLsTool({ files }),
      createFindTool({ files }),
      createGrepTool({ files, maxResultChars: 16_000 }),
      createWriteTool({ files }),
      createEditTool({ files }),
    ];
    const tool = tools.find((one) => one.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const result = await rig.call(tool, args(rig.base), { run: { owner: false } });
    expect(result.isError).toBe(true);
    expect(textOf(result)).not.toContain(rig.base);
  });

  test("gets paths in the home folder with ~, and others relative to the workspace; the owner gets them absolute", async () => {
    await using own = await createToolRig({ userHome: join(rig.base, "documents") });
    const shown = async (owner: boolean, path: string): Promise<string> => (await own.files.forRun({ ...rig.run, owner })).show(path);
    expect(await shown(false, join(rig.base, "documents/a.txt"))).toBe("~/a.txt");
    expect(await shown(false, join(rig.base, "documents"))).toBe("~");
    expect(await shown(false, join(rig.base, "projects/a.txt"))).toBe("../projects/a.txt");
    expect(await shown(false, join(rig.workspace, "a.txt"))).toBe("a.txt");
    expect(await shown(true, join(rig.base, "documents/a.txt"))).toBe(join(rig.base, "documents/a.txt"));
  });
});
