import { execFile } from "node:child_process";
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { expect, onTestFinished, test } from "vitest";
import { createScriptConversation } from "../index.ts";

const run = promisify(execFile);
const python = await run("python3", ["--version"]).then(
  () => true,
  () => false,
);

test("four replies: read the skill, list, write, answer", () => {
  const { replies, skillPath, scriptSource, answer } = createScriptConversation;
  const blocks = replies.flatMap((reply) => (reply.type === "message" ? reply.content : []));
  expect(blocks).toEqual([
    { type: "tool_use", name: "read", input: { path: skillPath } },
    { type: "tool_use", name: "ls", input: { path: "." } },
    { type: "tool_use", name: "write", input: { path: "list_files.py", content: scriptSource } },
    { type: "text", text: answer },
  ]);
  expect(answer).toMatch(/```bash\npython3 list_files\.py\n```/);
});

test.skipIf(!python)("the script lists every file by its relative path and skips .git", async () => {
  const folder = await mkdtemp(join(tmpdir(), "create-script-"));
  onTestFinished(() => rm(folder, { recursive: true }));
  const { scriptPath, scriptSource } = createScriptConversation;
  await mkdir(join(folder, ".git"));
  await mkdir(join(folder, "docs", "图"), { recursive: true });
  await writeFile(join(folder, ".git", "HEAD"), "ref");
  await writeFile(join(folder, "docs", "图", "a b.txt"), "");
  await writeFile(join(folder, scriptPath), scriptSource);
  const { stdout } = await run("python3", [scriptPath], { cwd: folder, env: { ...process.env, PYTHONIOENCODING: "utf-8" } });
  expect(stdout).toBe("list_files.py\ndocs/图/a b.txt\n");
  expect(await readFile(join(folder, scriptPath), "utf8")).toBe(scriptSource);
});
