import { expect, test } from "vitest";
import { startDiscordMixedPlatform } from "../src/mixed/discord-mixed-platform.ts";
import { startEmailMixedPlatform } from "../src/mixed/email-mixed-platform.ts";
import { startFeishuMixedPlatform } from "../src/mixed/feishu-mixed-platform.ts";
import { startIrcMixedPlatform } from "../src/mixed/irc-mixed-platform.ts";
import { startMatrixMixedPlatform } from "../src/mixed/matrix-mixed-platform.ts";
import type { MixedPlatform } from "../src/mixed/mixed-platform.ts";
import { runMixed } from "../src/mixed/run-mixed.ts";
import { startSlackMixedPlatform } from "../src/mixed/slack-mixed-platform.ts";
import { startChatSdkMixedPlatform, startTelegramMixedPlatform } from "../src/mixed/telegram-mixed-platform.ts";
import { startWebchatMixedPlatform } from "../src/mixed/webchat-mixed-platform.ts";
import { startWebhookMixedPlatform } from "../src/mixed/webhook-mixed-platform.ts";

/** The short form; `pnpm test:slow` has 200 events and 50 kills for each channel and transport. */
const OPTIONS = {
  kills: Number(process.env["FACTOTUM_MIXED_KILLS"] ?? 4),
  events: Number(process.env["FACTOTUM_MIXED_EVENTS"] ?? 40),
  seed: Number(process.env["FACTOTUM_MIXED_SEED"] ?? 20_261_126),
};
const IS_LONG = OPTIONS.kills >= 50;

const PLATFORMS: readonly (readonly [name: string, start: () => MixedPlatform | Promise<MixedPlatform>])[] = [
  ...(IS_LONG
    ? ([
        ["slack over http", async () => startSlackMixedPlatform(["http", "http"])],
        ["slack over socket", async () => startSlackMixedPlatform(["socket", "socket"])],
        ["feishu by webhook", async () => startFeishuMixedPlatform(["webhook", "webhook"])],
        ["feishu by websocket", async () => startFeishuMixedPlatform(["websocket", "websocket"])],
        ["discord", startDiscordMixedPlatform],
        ["matrix", startMatrixMixedPlatform],
        ["telegram by polling", async () => startTelegramMixedPlatform(["polling", "polling"])],
        ["telegram by webhook", async () => startTelegramMixedPlatform(["webhook", "webhook"])],
        ["chat-sdk", startChatSdkMixedPlatform],
      ] as const)
    : ([
        ["slack over http and socket", async () => startSlackMixedPlatform(["http", "socket"])],
        ["feishu by webhook and websocket", async () => startFeishuMixedPlatform(["webhook", "websocket"])],
      ] as const)),
  ["email", startEmailMixedPlatform],
  ["irc", startIrcMixedPlatform],
  ["webchat", startWebchatMixedPlatform],
  ["webhook", startWebhookMixedPlatform],
];

test.each(PLATFORMS)(
  "%s: every reply at its address, in order, as often as the channel declares",
  { timeout: 1_800_000 },
  async (_, start) => {
    await using platform = await start();
    const { summary, problems } = await runMixed(platform, OPTIONS);
    console.log(summary);
    expect(problems, summary).toEqual([]);
  },
);
