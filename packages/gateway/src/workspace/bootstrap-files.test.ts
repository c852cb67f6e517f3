import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { identityName, readBootstrapFiles, readMemoryFile } from "./bootstrap-files.ts";

let workspace: string;
beforeEach(async () => {
  workspace = await mkdtemp(path.join(tmpdir(), "factotum-workspace-"));
});
afterEach(async () => rm(workspace, { recursive: true }));

describe("bootstrap files", () => {
  test("come in the order of the prompt; missing, foreign and unreadable ones have no content", async () => {
    await writeFile(path.join(workspace, "USER.md"), "Olga");
    await writeFile(path.join(workspace, "AGENTS.md"), "Rules");
    await mkdir(path.join(workspace, "SOUL.md"));
    await symlink("nowhere", path.join(workspace, "TOOLS.md"));
    const files = await readBootstrapFiles(workspace);
    expect(files.map(({ name, content }) => [name, content])).toEqual([
      ["AGENTS.md", "Rules"],
      ["SOUL.md", undefined],
      ["TOOLS.md", undefined],
      ["IDENTITY.md", undefined],
      ["USER.md", "Olga"],
      ["HEARTBEAT.md", undefined],
      ["BOOTSTRAP.md", undefined],
    ]);
  });

  test("MEMORY.md is preferred to memory.md", async () => {
    expect(await readMemoryFile(workspace)).toBeUndefined();
    await writeFile(path.join(workspace, "memory.md"), "small");
    expect((await readMemoryFile(workspace))?.content).toBe("small");
    await writeFile(path.join(workspace, "MEMORY.md"), "large");
    expect((await readMemoryFile(workspace))?.content).toBe("large");
  });

  test.each([
    ["Name: Ada", "Ada"],
    ["- Name: Ada", "Ada"],
    ["# Who\n\n- **Name:** Ada Lovelace \n- Tone: dry", "Ada Lovelace"],
    ["- Name:\n- Tone: dry", undefined],
    ["Username: x", undefined],
    ["", undefined],
  ])("%j names %j", (content, name) => {
    expect(identityName([{ name: "IDENTITY.md", path: "", content }])).toBe(name);
  });
});
