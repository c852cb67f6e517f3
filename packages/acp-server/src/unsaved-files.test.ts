import { mkdtemp, realpath, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { methods } from "@agentclientprotocol/sdk";
import { afterEach, beforeEach, expect, test } from "vitest";
import { connectClient } from "../test/connect-client.ts";

let project: string;
beforeEach(async () => {
  project = await realpath(await mkdtemp(join(tmpdir(), "factotum-unsaved-")));
});
afterEach(async () => rm(project, { recursive: true, force: true }));

/** The message that the gateway gets for a prompt that links a file, and the paths that the editor was asked for. */
async function link(
  path: string,
  readFile?: (path: string) => Promise<string> | string,
): Promise<{ readonly said: string; readonly asked: string[] }> {
  const asked: string[] = [];
  const read = async (file: string): Promise<string> => {
    asked.push(file);
    return (await readFile?.(file)) ?? "";
  };
  await using scene = await connectClient(readFile === undefined ? {} : { readFile: read });
  const { sessionId } = await scene.agent.request(methods.agent.session.new, { cwd: project, mcpServers: [] });
  const prompt = [{ type: "resource_link" as const, uri: pathToFileURL(path).href, name: "a" }];
  const answered = scene.agent.request(methods.agent.session.prompt, { sessionId, prompt });
  (await scene.gateway.begin()).end();
  await answered;
  const [message] = scene.gateway.requests("agent");
  return { said: JSON.stringify(message), asked };
}

test("unsaved text of a linked file is quoted", async () => {
  const path = join(project, "a.ts");
  await writeFile(path, "saved");
  const { said, asked } = await link(path, () => "not saved yet");
  expect(asked).toEqual([path]);
  expect(said).toContain("not saved yet");
});

test.each<[string, (path: string) => Promise<string> | string]>([
  ["shows what is on the disk", () => "saved"],
  ["cannot read it", () => Promise.reject(new Error("no"))],
  ["shows very much", () => "x".repeat(200_001)],
])("a file is named only if the editor %s", async (_name, readFile) => {
  const path = join(project, "a.ts");
  await writeFile(path, "saved");
  const { said } = await link(path, readFile);
  expect(JSON.parse(said)).toMatchObject({ message: path });
});

test("files beyond the project are not asked for, nor those behind a link", async () => {
  const outside = join(project, "..", `${project.split("/").at(-1) ?? ""}.txt`);
  await writeFile(outside, "saved");
  try {
    expect((await link(outside, () => "secret")).asked).toEqual([]);
    await symlink(outside, join(project, "link"));
    expect((await link(join(project, "link"), () => "secret")).said).not.toContain("secret");
    expect((await link(join(project, "missing"), () => "secret")).asked).toEqual([]);
  } finally {
    await rm(outside);
  }
});

test("an editor that does not offer its files is not asked", async () => {
  const path = join(project, "a.ts");
  await writeFile(path, "saved");
  expect(JSON.parse((await link(path)).said)).toMatchObject({ message: path });
});
