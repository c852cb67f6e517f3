import { randomUUID } from "node:crypto";
import { mkdtemp, realpath } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { RpcClient } from "../src/rpc/rpc-client.ts";
import { localServer, serverProgram, startMcpScene, type McpScene } from "./mcp-scene.ts";
import { processesBelow } from "./processes.ts";

async function say({ product }: McpScene, text: string): Promise<string> {
  using client = await RpcClient.connect({ url: product.url, token: product.token, version: "0" });
  return (await client.request("agent", { message: text, idempotencyKey: randomUUID() })).text;
}

const newest = ({ model }: McpScene): string =>
  JSON.stringify(((model.requests.at(-1)?.body?.["messages"] ?? []) as readonly unknown[]).at(-1));

describe("what servers offer apart from tools, in the built product", { timeout: 240_000 }, () => {
  test("prompts are slash commands, which a start of the gateway remembers without a start of the server", async () => {
    const servers = { everything: localServer(serverProgram("everything"), [], { trusted: true }) };
    await using first = await startMcpScene(servers);
    await say(first, "hello");
    expect(await say(first, "/help")).toContain("/mcp__everything__args-prompt <city> [state]:");
    await say(first, '/mcp__everything__args-prompt state=Texas "El Paso"');
    expect(newest(first)).toContain("What's weather in El Paso, Texas?");
    expect(await say(first, "/mcp__everything__args-prompt")).toContain("needs city");
    await first.product.end("SIGTERM");
    await using second = await startMcpScene(servers, { home: first.product.home });
    expect(await say(second, "/help")).toContain("/mcp__everything__args-prompt");
    expect(await processesBelow(second.product.pid)).toEqual([]);
    await say(second, "/mcp__everything__simple-prompt");
    expect(newest(second)).toContain("This is a simple prompt without arguments.");
  });

  test("the prompt of a server that is not trusted is marked as text of others", async () => {
    await using scene = await startMcpScene({ everything: localServer(serverProgram("everything")) });
    await say(scene, "hello");
    await say(scene, "/mcp__everything__args-prompt Bern");
    expect(newest(scene)).toMatch(/I chose the prompt mcp__everything__args-prompt/);
    expect(newest(scene)).toMatch(/UNTRUSTED[^]*What's weather in Bern\?/i);
  });

  test("server-filesystem works in the folders of its arguments, and with roots in the workspace alone", async () => {
    const folder = await realpath(await mkdtemp(join(tmpdir(), "factotum-mcp-")));
    const files = localServer(serverProgram("filesystem"), [folder], { trusted: true });
    await using scene = await startMcpScene({ plain: files, rooted: { ...files, roots: "workspace" } });
    const allowed = async (server: string): Promise<string> =>
      scene.use({ name: "tool_call", arguments: { name: `mcp__${server}_list_allowed_directories`, arguments: {} } });
    expect(await allowed("plain")).toContain(folder);
    const workspace = await realpath(join(scene.product.home, "workspace"));
    expect(await allowed("plain")).not.toContain(workspace);
    await expect.poll(async () => allowed("rooted"), { timeout: 30_000 }).toContain(workspace);
    expect(await allowed("rooted")).not.toContain(folder);
  });
});
