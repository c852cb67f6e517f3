import { mkdir, mkdtemp, realpath, rename, rm, symlink, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import path from "node:path";
import type { FactotumConfig } from "@factotum/config";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";
import { TestClient } from "../../test/test-client.ts";

const KEY = "agent:main:acp:one";

let project: string;
beforeEach(async () => {
  project = await realpath(await mkdtemp(path.join(tmpdir(), "factotum-project-")));
});
afterEach(async () => rm(project, { recursive: true, force: true }));

const sandboxed = (config: FactotumConfig): FactotumConfig => ({
  ...config,
  agents: config.agents.map((agent) => ({
    ...agent,
    sandbox: { ...agent.sandbox, mode: "all" as const, workspaceAccess: "none" as const },
  })),
});

async function folderOf(running: TestGateway, { owner = true, group = false } = {}): Promise<string> {
  const { agents } = running.gateway.engine.parts.running;
  const workspace = (await running.store.readSession(KEY))?.overrides.workspace;
  return (await agents.placeFor(agents.default, { owner, group, sessionKey: KEY, workspace })).folder;
}

test("the owner's runs of a session work in its own folder, those of others do not", async () => {
  await using running = await startTestGateway();
  using client = await TestClient.connect(running.gateway.url, running.token);
  const link = `${project}-link`;
  await symlink(project, link);
  try {
    expect(await client.call("sessions.create", { key: KEY, workspace: link, displayName: "project" })).toMatchObject({
      session: { key: KEY, agentId: "main", kind: "other", displayName: "project", workspace: project },
    });
  } finally {
    await rm(link);
  }
  expect(await folderOf(running)).toBe(project);
  for (const others of [{ owner: false }, { group: true }]) expect(await folderOf(running, others)).not.toBe(project);
  await expect(client.call("sessions.create", { key: KEY })).rejects.toThrow("exists already");
  await client.call("sessions.reset", { key: KEY });
  expect(await folderOf(running)).toBe(project);
  await client.call("sessions.patch", { key: KEY, workspace: null });
  expect(await folderOf(running)).toBe(path.join(running.home, "workspace"));
});

test("a folder that is gone or was replaced by a link is not used", async () => {
  await using running = await startTestGateway();
  using client = await TestClient.connect(running.gateway.url, running.token);
  await client.call("sessions.create", { key: KEY, workspace: project });
  const moved = `${project}-moved`;
  await rename(project, moved);
  try {
    await expect(folderOf(running)).rejects.toThrow("is gone");
    await symlink(moved, project);
    await expect(folderOf(running)).rejects.toThrow("leads elsewhere");
  } finally {
    await rm(moved, { recursive: true });
  }
});

test.each<[string, (running: TestGateway) => string | Promise<string>, string]>([
  ["a relative path", () => "project", "no absolute path"],
  ["nothing", () => path.join(project, "none"), "no folder"],
  [
    "a file",
    async () => {
      await writeFile(path.join(project, "file"), "");
      return path.join(project, "file");
    },
    "no folder",
  ],
  ["the root", () => "/", "holds the gateway's own state"],
  ["the person's home", () => homedir(), "larger than a project"],
  ["the state directory", ({ home }) => home, "holds the gateway's own state"],
  [
    "a folder of the state directory",
    async ({ home }) => {
      await mkdir(path.join(home, "state", "x"), { recursive: true });
      return path.join(home, "state", "x");
    },
    "lies in the gateway's own state",
  ],
])("a session does not work in %s", async (_name, place, message) => {
  await using running = await startTestGateway();
  using client = await TestClient.connect(running.gateway.url, running.token);
  const workspace = await place(running);
  await expect(client.call("sessions.create", { key: KEY, workspace })).rejects.toThrow(message);
  expect(await running.store.readSession(KEY)).toBeUndefined();
  await client.call("sessions.create", { key: KEY });
  await expect(client.call("sessions.patch", { key: KEY, workspace })).rejects.toThrow(message);
});

test("a folder that a sandbox would hide is refused", async () => {
  await using running = await startTestGateway({ patch: sandboxed });
  using client = await TestClient.connect(running.gateway.url, running.token);
  await expect(client.call("sessions.create", { key: KEY, workspace: project })).rejects.toThrow("sandbox.workspaceAccess");
});

test.each([
  ["a group", "agent:main:test:group:1", "not a group's"],
  ["no agent", "global", "not a group's"],
  ["an unknown agent", "agent:ghost:acp:one", "Configured: main"],
])("a session of %s is not created", async (_name, key, message) => {
  await using running = await startTestGateway();
  using client = await TestClient.connect(running.gateway.url, running.token);
  await expect(client.call("sessions.create", { key })).rejects.toThrow(message);
});
