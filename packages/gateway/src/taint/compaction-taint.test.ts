import type { MsgContext } from "@factotum/channel-contract";
import type { FactotumConfig } from "@factotum/config";
import { startAnthropicServer, textReply, toolReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const SESSION = "agent:main:main";
const FORWARDED = { forwarded: { from: "Mallory", body: "MALLORY-WAS-HERE" } };

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;

beforeEach(async () => {
  server = await startAnthropicServer();
  platform = new TestPlatform();
  running = await startTestGateway({ platform, patch: withSmallWindow });
  server.respond(({ body }) => {
    const text = JSON.stringify(body);
    if (text.includes("You condense the record of a conversation")) return textReply("Known: nothing much.");
    const last = JSON.stringify(((body?.["messages"] ?? []) as readonly unknown[]).at(-1));
    return last.includes("write it down")
      ? toolReply({ name: "write", input: { path: "MEMORY.md", content: "CANARY" } })
      : textReply("Noted.");
  });
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

/** A small window, so that a few long messages fill it. Without notes, which are a separate turn. */
function withSmallWindow(config: FactotumConfig): FactotumConfig {
  const base = withModel(server.baseUrl)(config);
  const { anthropic } = base.models.providers;
  if (anthropic === undefined) throw new Error("no provider");
  const models = [{ id: "claude-sonnet-5-5", contextWindow: 20_000, maxOutput: 1000 }];
  return {
    ...base,
    models: { ...base.models, providers: { anthropic: { ...anthropic, models } } },
    agents: base.agents.map((agent) => ({ ...agent, compaction: { ...agent.compaction, memoryFlush: false } })),
  };
}

async function say(text: string, fields: Partial<MsgContext> = {}): Promise<void> {
  await platform.say(platform.message(text, fields));
  await running.gateway.engine.idle();
}

/** Fills the window until the session was compacted this often. */
async function fillUntil(compactions: number): Promise<void> {
  for (let index = 0; ((await running.store.readSession(SESSION))?.compactionCount ?? 0) < compactions; index += 1) {
    if (index > 40) throw new Error("never compacted");
    await say(`word-${index} ${"lorem ipsum ".repeat(700)}`);
  }
}

/** The result of a write to MEMORY.md, as the model got it, and the model's whole context. */
async function writeDown(): Promise<{ readonly result: string; readonly request: string }> {
  await say("write it down");
  const messages = (server.requests.at(-1)?.body?.["messages"] ?? []) as readonly { readonly content: unknown }[];
  return { result: JSON.stringify(messages.at(-1)?.content), request: JSON.stringify(messages) };
}

test.each([1, 2, 3])("a summary of text from others is tainted, and so are later ones (%i compactions)", async (compactions) => {
  await say(`Look. ${"lorem ipsum ".repeat(700)}`, FORWARDED);
  await fillUntil(compactions);
  const { result, request } = await writeDown();
  expect(request).not.toContain("MALLORY-WAS-HERE");
  expect(request).toContain("Known: nothing much.");
  expect(result).toContain("the owner denied it");
});

test("trust in summarised text lasts until it is revoked, across summaries of summaries", async () => {
  await say(`Look. ${"lorem ipsum ".repeat(700)}`, FORWARDED);
  await say("/trust");
  await fillUntil(2);
  expect((await writeDown()).result).toContain("Wrote MEMORY.md");
  await say("/trust off");
  const { result, request } = await writeDown();
  expect(request).not.toContain("MALLORY-WAS-HERE");
  expect(result).toContain("the owner denied it");
  await say("/trust");
  expect((await writeDown()).result).toContain("Wrote MEMORY.md");
});

test("trust does not extend to later text, once both are summarised together", async () => {
  await say("/trust");
  await say(`Look. ${"lorem ipsum ".repeat(700)}`, FORWARDED);
  await fillUntil(1);
  const { result, request } = await writeDown();
  expect(request).not.toContain("MALLORY-WAS-HERE");
  expect(result).toContain("the owner denied it");
});

test("a summary of the owner's own text is not tainted", async () => {
  await say(`Look. ${"lorem ipsum ".repeat(700)}`);
  await fillUntil(2);
  expect((await writeDown()).result).toContain("Wrote MEMORY.md");
});

test("trust in an earlier text does not extend to a later one that is summarised together with it", async () => {
  await say("Look.", FORWARDED);
  await say("/trust");
  await say(`And look. ${"lorem ipsum ".repeat(700)}`, { forwarded: { from: "Mallory", body: "MALLORY-CAME-BACK" } });
  await fillUntil(1);
  const { result, request } = await writeDown();
  expect(request).not.toContain("MALLORY-CAME-BACK");
  expect(result).toContain("the owner denied it");
});
