import type { ChannelExtension } from "@factotum/channel-contract";
import { createTelegramChannel } from "./channel.ts";
import { TelegramConfigSchema } from "./config.ts";
import type { TelegramConfig } from "./config.ts";

/** The entry for the loader. */
export const telegramExtension: ChannelExtension<TelegramConfig> = {
  id: "telegram",
  api: 1,
  configSchema: TelegramConfigSchema,
  create: createTelegramChannel,
};
