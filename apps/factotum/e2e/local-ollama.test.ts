import { once } from "node:events";
import { createServer } from "node:http";
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { runCommand, startProduct } from "@factotum/testing-product";
import { afterEach, beforeEach, expect, test, vi } from "vitest";

/** An Ollama server with one model, behind the path `/ollama`. */
let server: Server;
let port: number;
let asked: string[];
let contextTokens: number;

function answer(request: IncomingMessage, response: ServerResponse): void {
  asked.push(request.url ?? "");
  request.resume().once("end", () => {
    switch (request.url) {
      case "/ollama/api/tags":
        return response.end(JSON.stringify({ models: [{ name: "nomic-embed-text:latest" }, { name: "qwen3:8b" }] }));
      case "/ollama/api/ps":
        return response.end(JSON.stringify({ models: [{ name: "qwen3:8b", context_length: contextTokens }] }));
      case "/ollama/v1/chat/completions":
        response.writeHead(200, { "content-type": "text/event-stream" });
        for (const choice of [{ delta: { content: "Good day." } }, { delta: {}, finish_reason: "stop" }])
          response.write(`data: ${JSON.stringify({ id: "c", choices: [{ index: 0, ...choice }] })}\n\n`);
        return response.end("data: [DONE]\n\n");
      default:
        return response.writeHead(request.url === "/ollama/v1" ? 200 : 404).end();
    }
  });
}

beforeEach(async () => {
  asked = [];
  contextTokens = 4096;
  server = createServer(answer);
  await listen(0);
  port = (server.address() as AddressInfo).port;
});
afterEach(close);

async function listen(at: number): Promise<void> {
  server.listen(at, "127.0.0.1");
  await once(server, "listening");
}

async function close(): Promise<void> {
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
}

test.each([
  ["the address of its chat endpoint", "/ollama/v1", "ollama/qwen3:8b", undefined],
  [
    "another path",
    "/elsewhere",
    "demo/demo",
    /OLLAMA_HOST is "http:.*\/elsewhere", but no key is set, and no Ollama answers at http:.*: write/,
  ],
  [
    "no address",
    "/ollama with spaces:x",
    "demo/demo",
    /OLLAMA_HOST is ".*", which is no address: write.*OLLAMA_HOST=http:\/\/127\.0\.0\.1:11434/,
  ],
])("with %s in OLLAMA_HOST the model is used, or a message says what to write", async (_name, path, model, problem) => {
  const OLLAMA_HOST = path.includes(" ") ? path : `http://127.0.0.1:${port}${path}`;
  await using product = await startProduct({ env: { OLLAMA_HOST } });
  const run = (...args: readonly string[]): ReturnType<typeof runCommand> => runCommand(args, { home: product.home, env: { OLLAMA_HOST } });
  const status = (await run("status")).stdout;
  expect(status).toContain(`main: ${model}`);
  const places = { status, doctor: (await run("doctor")).stdout, output: product.output(), log: (await run("logs")).stdout };
  for (const text of Object.values(places))
    if (problem === undefined) expect(text).not.toContain("OLLAMA_HOST is");
    else expect(text).toMatch(problem);
});

test("an Ollama that starts after the gateway is detected, requests go to OLLAMA_HOST, and a small context gives a warning", async () => {
  await close();
  const env = { OLLAMA_HOST: `http://127.0.0.1:${port}/ollama/` };
  await using product = await startProduct({ env });
  const run = (...args: readonly string[]): ReturnType<typeof runCommand> => runCommand(args, { home: product.home, env });
  expect((await run("status")).stdout).toContain("main: demo/demo");

  await listen(port);
  await vi.waitFor(async () => expect((await run("status")).stdout).toContain("main: ollama/qwen3:8b"), { timeout: 8_000 });
  expect((await run("agent", "--message", "hello")).stdout).toBe("Good day.\n");
  expect(asked).toContain("/ollama/v1/chat/completions");

  const advice = /Ollama runs qwen3:8b with 4096 tokens of context, and 32768 are counted on.*OLLAMA_CONTEXT_LENGTH=32768/;
  expect((await run("status")).stdout).toMatch(advice);
  expect((await run("doctor")).stdout).toMatch(advice);
  expect(product.output()).toMatch(advice);

  contextTokens = 32_768;
  expect((await run("status")).stdout).not.toContain("OLLAMA_CONTEXT_LENGTH");
});
