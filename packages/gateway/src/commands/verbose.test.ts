import { writeFile } from "node:fs/promises";
import path from "node:path";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

let server: AnthropicServer;
let platform: TestPlatform;
beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
});
afterEach(() => server[Symbol.asyncDispose]());

const start = (options: Partial<Parameters<typeof startTestGateway>[0]> = {}): Promise<TestGateway> =>
  startTestGateway({ platform, patch: withModel(server.baseUrl), ...options });

/** Sends a message and returns everything that was sent since. */
async function say(running: TestGateway, text: string): Promise<string[]> {
  const before = platform.sent.length;
  await platform.say(platform.message(text));
  await running.gateway.engine.idle();
  return platform.sent.slice(before).map(({ outbound }) => (outbound.type === "text" ? outbound.text : ""));
}

/** The next message makes the model read a file, and a missing file. */
async function readTwice(running: TestGateway, content: string): Promise<void> {
  await writeFile(path.join(running.home, "workspace", "a.txt"), content);
  server.script([
    toolReply({ name: "read", input: { path: "a.txt" } }),
    toolReply({ name: "read", input: { path: "none.txt" } }),
    textReply("I have read it."),
  ]);
}

const A = '`read` `{"path":"a.txt"}`';
const NONE = '`read` `{"path":"none.txt"}`';

test("is off by default, on reports each tool at its start, full its result too", async () => {
  await using running = await start();
  server.script([textReply("Hello.")]);
  await say(running, "hi");
  await readTwice(running, "three words here");
  expect(await say(running, "read")).toEqual(["I have read it."]);
  expect(await say(running, "/verbose")).toEqual(["tool calls are not shown. /verbose takes off, on, full or default."]);
  expect(await say(running, "/verbose on")).toEqual(["From the next message on: each tool call is shown when it begins."]);
  await readTwice(running, "three words here");
  expect(await say(running, "read")).toEqual([A, NONE, "I have read it."]);
  await say(running, "/verbose full");
  await readTwice(running, "three words here");
  expect(await say(running, "read")).toEqual([
    A,
    expect.stringMatching(/^`read` is done:\n```\n[^]*three words here[^]*\n```$/),
    NONE,
    expect.stringMatching(/^`read` failed:\n```\n[^]+\n```$/),
    "I have read it.",
  ]);
  expect(await say(running, "/verbose loud")).toEqual(['"loud" is not understood. /verbose takes off, on, full or default.']);
  await say(running, "/verbose default");
  await readTwice(running, "three words here");
  expect(await say(running, "read")).toEqual(["I have read it."]);
});

test("inside a message applies to that message alone, and the model does not see it", async () => {
  await using running = await start();
  server.script([textReply("Hello.")]);
  await say(running, "hi");
  await readTwice(running, "words");
  expect(await say(running, "/verbose on read it")).toEqual([A, NONE, "I have read it."]);
  expect(JSON.stringify(server.requests.at(-1)?.body)).not.toContain("/verbose");
  await readTwice(running, "words");
  expect(await say(running, "read")).toEqual(["I have read it."]);
});

test("a result is cut, its code blocks close nothing, and secrets are redacted", async () => {
  await using running = await start();
  server.script([textReply("Hello.")]);
  await say(running, "hi");
  await readTwice(running, `sk-test-secret\n\`\`\`\n${"long ".repeat(2_000)}`);
  const [, result = ""] = await say(running, "/verbose full read it");
  expect(result.length).toBeLessThan(1_100);
  expect(result).toMatch(/^`read` is done:\n````\n[^]*…\n````$/);
  expect(result).not.toContain("sk-test-secret");
});

test("sends nothing if the send policy denies", async () => {
  await using running = await start();
  server.script([textReply("Hello.")]);
  await say(running, "hi");
  await running.store.patchSession("agent:main:main", { overrides: { sendPolicy: "deny", verbose: "full" } }, { nowMs: 1 });
  await readTwice(running, "words");
  expect(await say(running, "read")).toEqual([]);
});
