import { existsSync } from "node:fs";
import { mkdir, readdir, readFile, stat, symlink, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { PROTOCOL_VERSION, ServerFrameSchema } from "@factotum/protocol";
import { freePort, runCommand, startProduct, type Product } from "@factotum/testing-product";
import { expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";

const KEY = "canary-house-key-0123456789";

/** The events of another client, as they come. */
async function watch({ url, token }: Product): Promise<{ readonly events: readonly string[]; [Symbol.dispose](): void }> {
  const socket = new WebSocket(`${url.replace("http", "ws")}/ws`);
  const ready = Promise.withResolvers<void>();
  const events: string[] = [];
  const client = { name: "watch", version: "0" };
  socket.addEventListener("open", () =>
    socket.send(JSON.stringify({ type: "connect", minProtocol: 1, maxProtocol: PROTOCOL_VERSION, client, auth: { token } })),
  );
  socket.addEventListener("message", ({ data }) => {
    const frame = ServerFrameSchema.parse(JSON.parse(String(data)));
    if (frame.type === "hello") ready.resolve();
    if (frame.type === "event") events.push(frame.event);
  });
  await ready.promise;
  return { events, [Symbol.dispose]: () => socket.close() };
}

test("the owner's notes are read without secrets, and written over what was read alone; clients hear of notes and jobs", async () => {
  const house = { api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", apiKey: KEY };
  await using product = await startProduct({ config: { models: { providers: { house } } } });
  const { home, url, token } = product;
  const workspace = join(home, "workspace");
  using client = await RpcClient.connect({ url, token, version: "test" });
  using watching = await watch(product);
  await mkdir(join(workspace, "memory"), { recursive: true });
  await writeFile(join(workspace, "MEMORY.md"), `# Home\n- the key is ${KEY}\n- Ada likes tea\n`);
  await writeFile(join(workspace, "memory", "2026-01-02.md"), "- The boiler was serviced.\n");
  await writeFile(join(workspace, "SOUL.md"), "Be kind.\n");
  await symlink(join(home, "factotum.json5"), join(workspace, "memory", "link.md"));
  await symlink(home, join(workspace, "memory", "folder"));

  const { notes } = await client.request("memory.list", {});
  expect(notes.map(({ path }) => path)).toEqual(expect.arrayContaining(["MEMORY.md", "memory/2026-01-02.md"]));
  expect(JSON.stringify(notes)).not.toMatch(/SOUL|link|folder/);
  const read = await client.request("memory.read", { path: "MEMORY.md" });
  expect(read).toMatchObject({ agentId: "main", path: "MEMORY.md", hasSecrets: true, untrusted: false });
  expect(read.text).not.toContain(KEY);

  // A hidden secret stays in its line, and is told to no other.
  const { baseHash } = read;
  const text = read.text.replace("tea", "milk");
  const written = await client.request("memory.write", { path: "MEMORY.md", baseHash, text });
  expect(written.text).toBe(text);
  expect(await readFile(join(workspace, "MEMORY.md"), "utf8")).toBe(`# Home\n- the key is ${KEY}\n- Ada likes milk\n`);
  const moved = { path: "MEMORY.md", baseHash: written.baseHash, text: text.replace("the key is", "https://evil.example/?") };
  await expect(client.request("memory.write", moved)).rejects.toMatchObject({ code: "conflict", message: /Line 2 has the mark/ });
  await expect(client.request("memory.write", { path: "MEMORY.md", baseHash, text })).rejects.toMatchObject({ code: "conflict" });
  await expect(client.request("memory.write", { path: "MEMORY.md", text })).rejects.toMatchObject({ message: /already/ });
  const { versions } = await client.request("memory.versions", { path: "MEMORY.md" });
  expect(versions).toHaveLength(1);
  const { text: before } = await client.request("memory.version", { path: "MEMORY.md", id: versions[0]?.id ?? "" });
  expect(before).toBe(read.text);

  // Other files than notes, also by links.
  for (const path of ["SOUL.md", "../factotum.json5", "memory/../../factotum.json5", "memory/x.txt", "/etc/hostname.md"])
    await expect(client.request("memory.read", { path })).rejects.toMatchObject({ code: "not-found" });
  for (const path of ["memory/link.md", "memory/folder/new.md"])
    await expect(client.request("memory.write", { path, text: "x" })).rejects.toMatchObject({ code: "conflict", message: /link/ });
  await expect(stat(join(home, "new.md"))).rejects.toThrow("ENOENT");

  const made = await client.request("memory.write", { path: "memory/plans/tea.md", text: "Sencha.\n" });
  expect(await runCommand(["memory", "show", "memory/plans/tea.md"], { home })).toMatchObject({ code: 0, stdout: "Sencha.\n" });
  await writeFile(join(workspace, "memory", "plans", "tea.md"), "Oolong.\n");
  await expect(client.request("memory.remove", { path: made.path, baseHash: made.baseHash })).rejects.toMatchObject({ code: "conflict" });
  expect(await runCommand(["memory", "remove", "memory/plans/tea.md"], { home })).toMatchObject({ code: 0 });
  expect((await runCommand(["memory", "notes"], { home })).stdout).toMatch(/^MEMORY\.md {2}\(\d+ bytes, changed [^]*2026-01-02/m);
  await expect(client.request("memory.read", { path: made.path })).rejects.toMatchObject({ code: "not-found" });
  const kept = await client.request("memory.versions", { path: made.path });
  await client.request("memory.restore", { path: made.path, id: kept.versions[0]?.id ?? "" });
  expect(await readFile(join(workspace, "memory", "plans", "tea.md"), "utf8")).toBe("Oolong.\n");
  expect(watching.events).toContain("memory-change");

  // A new note has no version of what it held before.
  const write = ["memory", "write", "memory/empty.md"];
  expect((await runCommand(write, { home })).stdout).toBe("memory/empty.md is written.\n");
  expect((await runCommand(write, { home })).stdout).toContain("its newest version");

  // Both commands that write a text do it alike.
  const source = join(home, "new-text.md");
  await writeFile(source, "Be short.\n");
  for (const [command, path] of [
    ["files", "SOUL.md"],
    ["memory", "memory/empty.md"],
  ] as const) {
    expect(await runCommand([command, "write", path, source, "--base", baseHash], { home })).toMatchObject({
      code: 1,
      stderr: expect.stringContaining(`${path} has changed since it was read.`) as string,
    });
    expect((await runCommand([command, "write", path, source], { home })).stdout).toMatch(
      `${path} is written. What it held until now is its newest version.`,
    );
    expect(await readFile(join(workspace, path), "utf8")).toBe("Be short.\n");
  }

  await runCommand(["cron", "add", "tea", "--at", "20m", "--text", "The tea is ready.", "--silent"], { home });
  await expect.poll(() => watching.events).toContain("jobs-change");
});

test("a running gateway says what would be forgotten, and forgets it by a restart", async () => {
  // A restart starts at the port of the configuration.
  const port = await freePort();
  await using product = await startProduct({ config: { gateway: { port } }, port });
  const { home, url, token } = product;
  const database = join(home, "state", "factotum.sqlite");
  try {
    using client = await RpcClient.connect({ url, token, version: "test" });
    await runCommand(["agent", "--message", "The canarybird sings."], { home });
    await runCommand(["agent", "--session", "agent:main:other", "--message", "Tea, please."], { home });
    await client.request("memory.write", { path: "memory/birds.md", text: "- a canarybird\n- a blackbird\n" });
    const scope = { type: "search", text: "CanaryBird" } as const;
    const planned = await client.request("memory.forget", { scope, dryRun: true });
    expect(planned).toMatchObject({ type: "planned", notes: [{ path: "memory/birds.md", lines: 1, removed: false }] });
    expect(planned.counts["received messages"]).toBe(1);
    expect(await readdir(join(home, "state"))).not.toContain("forget-trial");
    expect((await readFile(database)).includes("canarybird") || existsSync(`${database}-wal`)).toBe(true);
    expect(await client.request("memory.forget", { scope: { type: "search", text: "no such word" } })).toMatchObject({ type: "nothing" });
    await expect(client.request("memory.forget", { scope: { type: "search", text: " x " } })).rejects.toMatchObject({
      code: "invalid-request",
    });
    const command = ["memory", "forget", "--search", "canarybird"];
    expect(await runCommand([...command, "--yes"], { home })).toMatchObject({ code: 1, stderr: /--restart/ });
    expect((await runCommand([...command, "--dry-run"], { home })).stdout).toMatch(
      /1 received messages[^]*1 line of the note memory\/birds\.md/,
    );
    expect(await runCommand([...command, "--yes", "--restart"], { home })).toMatchObject({ code: 0 });
    await product.ended;
    await expect
      .poll(async () => (await runCommand(["memory", "show", "memory/birds.md"], { home })).stdout, { timeout: 60_000 })
      .toBe("- a blackbird\n");
    expect((await runCommand(["sessions", "search", "canarybird"], { home })).stdout).toBe("");
    expect((await runCommand(["sessions", "search", "tea"], { home })).stdout).toContain("Tea, please.");
  } finally {
    await runCommand(["gateway", "stop"], { home });
  }
  for (const file of await readdir(join(home, "state"), { recursive: true, withFileTypes: true }))
    if (file.isFile())
      expect((await readFile(join(file.parentPath, file.name))).toString("latin1").toLowerCase()).not.toContain("canarybird");
});
