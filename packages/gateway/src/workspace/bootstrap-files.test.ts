import { mkdir, mkdtemp, rm, symlink, utimes, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { bootstrapTimes, identityName, readBootstrapFiles } from "./bootstrap-files.ts";

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
      ["MEMORY.md", undefined],
      ["memory.md", undefined],
    ]);
  });

  test("have their modification times", async () => {
    await writeFile(path.join(workspace, "USER.md"), "Olga");
    await utimes(path.join(workspace, "USER.md"), 1000, 2000);
    expect([...(await bootstrapTimes(workspace))]).toEqual([["USER.md", 2_000_000]]);
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
