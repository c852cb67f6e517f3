import type { AccountConfig } from "@factotum/config";
import type { MsgContext } from "@factotum/channel-contract";
import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import { afterEach, beforeEach, expect, test } from "vitest";
import { startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;

beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(() => textReply("Well."));
  platform = new TestPlatform();
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function start(accountConfig: Partial<AccountConfig>, options: Partial<Parameters<typeof startTestGateway>[0]> = {}): Promise<void> {
  running = await startTestGateway({ platform, patch: withModel(server.baseUrl), accountConfig, ...options });
}

/** Applies another policy to the running account. */
async function change(config: Partial<AccountConfig>): Promise<void> {
  await running.gateway.engine.parts.channels.apply([platform.account(config)]);
}

async function say(text: string, extra: Partial<MsgContext> = {}, conversation: object = {}): Promise<void> {
  const origin = { channel: "test", accountId: "default", conversation: { kind: "group" as const, id: "g", ...conversation } };
  await platform.say(platform.message(text, { origin, sender: { id: "ann", isBot: false }, ...extra }));
  await running.gateway.engine.idle();
}

const request = (): string => JSON.stringify(server.requests.at(-1)?.body?.["messages"]);
const mention = { mentionsBot: true };

test("messages without a mention are given to the next mention as untrusted text, once, at most historyLimit of them, and survive a restart", async () => {
  await start({ groups: { g: { requireMention: true }, h: { requireMention: true } } });
  for (let index = 0; index < 53; index += 1) await say(`canary-${index}.`);
  await say("elsewhere", {}, { id: "h" });
  await running.stop();
  await start({ groups: { g: { requireMention: true }, h: { requireMention: true } } }, { home: running.home });
  await say("and you?", mention);
  expect(request()).toContain("canary-3.");
  expect(request()).toContain("canary-52.");
  expect(request()).not.toContain("canary-2.");
  expect(request()).not.toContain("elsewhere");
  expect(request()).toMatch(/untrusted/iu);
  await say("later");
  await running.stop();
  await start({ groups: { g: { requireMention: true }, h: { requireMention: true } } }, { home: running.home });
  await say("again", mention);
  expect(request().split("canary-52.")).toHaveLength(2);
  expect(request()).toContain("later");
});

test("a person who is not admitted any more is left out of the history at once", async () => {
  await start({ groups: { g: { requireMention: true } } });
  await say("canary of bob", { sender: { id: "bob", isBot: false } });
  await say("hello of ann");
  await change({ groups: { g: { requireMention: true, allowFrom: ["ann"] } } });
  await say("and you?", mention);
  expect(request()).toContain("hello of ann");
  expect(request()).not.toContain("canary");
});

test("every change of a group's policy applies to the next message of the running account", async () => {
  await start({});
  await say("one", mention);
  expect(server.requests).toHaveLength(0);
  await change({ groups: { g: { requireMention: true } } });
  await say("two", mention);
  expect(server.requests).toHaveLength(1);
  await say("three");
  expect(server.requests).toHaveLength(1);
  await change({ groups: { g: { requireMention: false } } });
  await say("four");
  expect(server.requests).toHaveLength(2);
  await change({ groups: { g: { requireMention: false, allowFrom: ["bob"] } } });
  await say("five");
  await change({ groupPolicy: "disabled", groups: { g: { requireMention: false } } });
  await say("six");
  expect(server.requests).toHaveLength(2);
  await change({ groupPolicy: "open" });
  await say("seven", mention, { id: "unlisted" });
  expect(server.requests).toHaveLength(3);
});

test("a thread has the tools and the prompt of its group, and an id that is an inherited property's name has none", async () => {
  await start({ groups: { g: { requireMention: false, tools: { allow: ["read"], deny: [] }, systemPrompt: "canary prompt" } } });
  const tools = (): readonly unknown[] => (server.requests.at(-1)?.body?.["tools"] ?? []) as readonly unknown[];
  await say("in the group");
  const inGroup = JSON.stringify(tools());
  await say("in its thread", {}, { id: "t", parentId: "g" });
  expect(JSON.stringify(tools())).toBe(inGroup);
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("canary prompt");
  await say("hello", mention, { id: "constructor" });
  await say("hello", mention, { id: "__proto__" });
  expect(server.requests).toHaveLength(2);
});

test("a pattern, a reply to the assistant and a command count as a mention; a pattern that is replaced does not", async () => {
  await start(
    { groups: { g: { requireMention: true } } },
    {
      patch: (config) => {
        const groupChat = { ...config.messages.groupChat, mentionPatterns: ["\\bfacto\\b"] };
        return withModel(server.baseUrl)({ ...config, messages: { ...config.messages, groupChat } });
      },
    },
  );
  await say("what about FACTO?");
  await say("yes", { replyTo: { body: "Well.", isQuote: false, sender: { isSelf: true } } });
  expect(server.requests).toHaveLength(2);
  const { config } = running.gateway.engine.parts.running;
  const groupChat = { ...config.messages.groupChat, mentionPatterns: ["\\bother\\b"] };
  await running.gateway.reload(running.settings({ ...config, messages: { ...config.messages, groupChat } }));
  await say("what about facto?");
  expect(server.requests).toHaveLength(2);
});
