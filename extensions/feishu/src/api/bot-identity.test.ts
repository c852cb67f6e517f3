import { PlatformFailure } from "@factotum/channel-kit";
import { ManualClock } from "@factotum/testing-channels";
import { expect, test } from "vitest";
import { createFeishuBot } from "./bot-identity.ts";

const { signal } = new AbortController();

test("an answer without the bot's id is a failure, and named in the health", async () => {
  const bot = createFeishuBot({ call: () => Promise.resolve({ code: 0, bot: {} }) }, { clock: new ManualClock() }, { signal });
  await expect(bot.get({ signal })).rejects.toBeInstanceOf(PlatformFailure);
  expect(bot.addTo({ state: "connected" }).detail).toMatch(/refused until Feishu names the bot: .*documented form/);
});
