import { runCommand, startProduct } from "@factotum/testing-product";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { FakeOllama } from "./fake-ollama.ts";

let ollama: FakeOllama;

beforeEach(async () => {
  ollama = await FakeOllama.start();
});
afterEach(async () => ollama[Symbol.asyncDispose]());

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
  const OLLAMA_HOST = path.includes(" ") ? path : `http://127.0.0.1:${ollama.port}${path}`;
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
  await ollama.close();
  const env = { OLLAMA_HOST: `http://127.0.0.1:${ollama.port}/ollama/` };
  await using product = await startProduct({ env });
  const run = (...args: readonly string[]): ReturnType<typeof runCommand> => runCommand(args, { home: product.home, env });
  expect((await run("status")).stdout).toContain("main: demo/demo");

  await ollama.listen(ollama.port);
  await vi.waitFor(async () => expect((await run("status")).stdout).toContain("main: ollama/qwen3:8b"), { timeout: 8_000 });
  expect((await run("agent", "--message", "hello")).stdout).toBe("Good day.\n");
  expect(ollama.asked).toContain("/ollama/v1/chat/completions");

  const advice = /Ollama runs qwen3:8b with 4096 tokens of context, and 32768 are counted on.*OLLAMA_CONTEXT_LENGTH=32768/;
  expect((await run("status")).stdout).toMatch(advice);
  expect((await run("doctor")).stdout).toMatch(advice);
  expect(product.output()).toMatch(advice);

  ollama.contextTokens = 32_768;
  expect((await run("status")).stdout).not.toContain("OLLAMA_CONTEXT_LENGTH");
});
