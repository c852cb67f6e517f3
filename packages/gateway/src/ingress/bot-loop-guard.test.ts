import { startAnthropicServer, textReply } from "@factotum/testing-providers";
import type { AnthropicServer } from "@factotum/testing-providers";
import type { AccountConfig } from "@factotum/config";
import type { MsgContext } from "@factotum/channel-contract";
import { afterEach, beforeEach, expect, test } from "vitest";
import { realClock, startTestGateway, TestPlatform, withModel } from "../../test/gateway-harness.ts";
import type { TestGateway } from "../../test/gateway-harness.ts";

const BOT = { id: "bot-2", isBot: true };
const GROUP = { kind: "group" as const, id: "g" };

let server: AnthropicServer;
let platform: TestPlatform;
let running: TestGateway;
let nowMs: number;

beforeEach(async () => {
  server = await startAnthropicServer();
  server.respond(() => textReply("Well."));
  platform = new TestPlatform();
  nowMs = Date.now();
});
afterEach(async () => {
  await running[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
});

async function start(accountConfig: Partial<AccountConfig>): Promise<void> {
  running = await startTestGateway({
    platform,
    patch: withModel(server.baseUrl),
    clock: { ...realClock, now: () => nowMs },
    accountConfig: { groups: { g: { requireMention: false }, h: { requireMention: false } }, ...accountConfig },
  });
}

async function say(extra: Partial<MsgContext> = {}, conversation: object = GROUP): Promise<void> {
  const origin = { channel: "test", accountId: "default", conversation: { ...GROUP, ...conversation } };
  await platform.say(platform.message("hello", { origin, sender: BOT, timestampMs: nowMs, ...extra }));
  await running.gateway.engine.idle();
}

const answers = (): number => platform.sent.length;

test("other bots are ignored by default, even if the lists name them", async () => {
  await start({ allowFrom: ["bot-2"] });
  await say({ mentionsBot: true });
  await say({}, { kind: "direct", id: "dm" });
  expect(answers()).toBe(0);
});

test("an admitted bot passes the same lists as people, is not paired and gives no commands", async () => {
  await start({ allowBots: true, allowFrom: [] });
  await say();
  expect(answers()).toBe(1);
  await say({}, { kind: "direct", id: "dm" });
  await say({}, { id: "unlisted" });
  await say({ text: "/status" });
  await say({ command: { name: "status", argumentsText: "" } });
  expect(answers()).toBe(1);
});

test("with mentions a bot must mention the assistant or reply to it, also where people need not", async () => {
  await start({ allowBots: "mentions" });
  await say();
  expect(answers()).toBe(0);
  await say({ mentionsBot: true });
  await say({ replyTo: { body: "Well.", isQuote: false, sender: { isSelf: true } } });
  expect(answers()).toBe(2);
});

test("an exchange with one bot stops at its limit for the cooldown, is logged once and counted; a person starts it over", async () => {
  await start({ allowBots: true, botLoop: { maxMessages: 3, windowSeconds: 60, cooldownSeconds: 30 } });
  for (let times = 0; times < 6; times += 1) await say();
  expect(answers()).toBe(3);
  // Neither another conversation nor another bot is affected.
  await say({}, { id: "h" });
  await say({ sender: { id: "bot-3", isBot: true } });
  expect(answers()).toBe(5);
  const warnings = running.logger.lines.filter((line) => line.includes("has exceeded botLoop"));
  expect(warnings).toHaveLength(1);
  const metrics = await fetch(`${running.gateway.url}/metrics`, { headers: { authorization: `Bearer ${running.token}` } });
  expect(await metrics.text()).toContain('factotum_bot_messages_stopped_total{channel="test"} 3');
  await say({ sender: { id: "ann", isBot: false } });
  await say();
  expect(answers()).toBe(7);
  for (let times = 0; times < 4; times += 1) await say();
  expect(answers()).toBe(9);
  nowMs += 30_000;
  await say();
  expect(answers()).toBe(10);
});

test("bots that have been silent make room for others, and one that was stopped is not forgotten", async () => {
  await start({ allowBots: true, botLoop: { maxMessages: 2, windowSeconds: 10, cooldownSeconds: 100 } });
  const bot = async (id: string): Promise<void> => say({ sender: { id, isBot: true } });
  for (let times = 0; times < 3; times += 1) await bot("loud");
  for (let index = 1; index < 20; index += 1) await bot(`bot-${index}`);
  expect(answers()).toBe(2 + 19);
  await bot("late");
  expect(answers()).toBe(21);
  nowMs += 20_000;
  await bot("late");
  expect(answers()).toBe(22);
  await bot("loud");
  expect(answers()).toBe(22);
});

test("messages outside of the window do not count", async () => {
  await start({ allowBots: true, botLoop: { maxMessages: 2, windowSeconds: 10, cooldownSeconds: 30 } });
  for (let times = 0; times < 6; times += 1) {
    await say();
    nowMs += 5000;
  }
  expect(answers()).toBe(6);
});
