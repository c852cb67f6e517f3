import { spawn, type ChildProcessByStdio } from "node:child_process";
import type { Readable } from "node:stream";
import { Client, StreamableHTTPClientTransport } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { sayText, startStrictServer, type StrictServer } from "@factotum/testing-providers";
import { productEntry, runCommand, startProduct, type Product } from "@factotum/testing-product";
import { afterEach, beforeEach, expect, test } from "vitest";
import { checkedOfficially } from "./check-official.ts";

let model: StrictServer;
let product: Product;
let client: Client;
let served: ChildProcessByStdio<null, null, Readable> | undefined;

beforeEach(async () => {
  model = checkedOfficially(await startStrictServer("anthropic-messages"), "anthropic-messages");
  model.respond(() => sayText("Hello from the assistant."));
  product = await startProduct({
    config: {
      agents: { defaults: { model: "anthropic/claude-sonnet-5-5" } },
      models: { providers: { anthropic: { baseUrl: model.baseUrl, apiKey: "sk-test" } } },
    },
  });
  client = new Client({ name: "test", version: "0" }, { versionNegotiation: { mode: "auto" } });
});
afterEach(async () => {
  await client.close();
  served?.kill();
  served = undefined;
  await product[Symbol.asyncDispose]();
  await model[Symbol.asyncDispose]();
});

async function call(name: string, input: Readonly<Record<string, unknown>> = {}): Promise<Readonly<Record<string, unknown>>> {
  const { content } = await client.callTool({ name, arguments: input });
  const [part] = content;
  return JSON.parse(part?.type === "text" ? part.text : "") as Readonly<Record<string, unknown>>;
}

async function converse(): Promise<void> {
  const conversation = "agent:main:main";
  expect(await call("messages_send", { text: "Good morning" })).toEqual({ conversation, text: "Hello from the assistant." });
  expect(await call("conversations_list")).toMatchObject({ conversations: [{ id: conversation, agent: "main" }] });
  expect(await call("messages_read", { conversation })).toMatchObject({
    messages: [
      { from: "person", text: "Good morning" },
      { from: "assistant", text: "Hello from the assistant." },
    ],
  });
}

/** Starts it over HTTP on a free port, and resolves with its address. */
async function serveOverHttp(): Promise<string> {
  const args = [productEntry, "mcp", "serve", "--http", "--port", "0"];
  const child = spawn(process.execPath, args, {
    env: { ...process.env, FACTOTUM_HOME: product.home },
    stdio: ["ignore", "ignore", "pipe"],
  });
  served = child;
  let said = "";
  for await (const part of child.stderr) {
    said += String(part);
    const [, url] = /served at (\S+),/.exec(said) ?? [];
    if (url !== undefined) return url;
  }
  throw new Error(said);
}

function overHttp(url: string, token: string): StreamableHTTPClientTransport {
  return new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { authorization: `Bearer ${token}` } } });
}

test("a client that starts `factotum mcp serve` talks with the assistant, also over a restart of the gateway", async () => {
  const transport = new StdioClientTransport({
    command: process.execPath,
    args: [productEntry, "mcp", "serve"],
    env: { PATH: process.env["PATH"] ?? "", FACTOTUM_HOME: product.home },
    stderr: "pipe",
  });
  await client.connect(transport);
  expect((await client.listTools()).tools.map(({ name }) => name)).toEqual(["conversations_list", "messages_read", "messages_send"]);
  await converse();
  await product.end("SIGTERM");
  const { content, isError } = await client.callTool({ name: "conversations_list", arguments: {} });
  expect([isError, JSON.stringify(content)]).toEqual([true, expect.stringContaining("The gateway is not running. Start it with")]);
  product = await startProduct({ home: product.home });
  expect(await call("conversations_list")).toMatchObject({ conversations: [{ id: "agent:main:main" }] });
});

test("over HTTP it answers to the gateway's token alone, and to a new one at once", async () => {
  const url = await serveOverHttp();
  await expect(client.connect(overHttp(url, "wrong"))).rejects.toThrow();
  await client.connect(overHttp(url, product.token));
  await converse();
  const { stdout } = await runCommand(["token", "rotate", "--json"], { home: product.home });
  await client.close();
  client = new Client({ name: "test", version: "0" });
  const { token } = JSON.parse(stdout) as { readonly token: string };
  await expect(client.connect(overHttp(url, product.token))).rejects.toThrow();
  await client.connect(overHttp(url, token));
  expect(await call("conversations_list")).toMatchObject({ conversations: [{ id: "agent:main:main" }] });
});

test("the command names a port that is taken, and refuses a text that is no number", async () => {
  const taken = new URL(product.url).port;
  const { code, stderr } = await runCommand(["mcp", "serve", "--http", "--port", taken], { home: product.home });
  expect([code, stderr]).toEqual([1, expect.stringContaining(`Another program listens on port ${taken}.`)]);
  expect((await runCommand(["mcp", "serve", "--http", "--port", "x"], { home: product.home })).stderr).toContain("A port is a number");
});
