import type { ChannelExtension } from "@factotum/channel-contract";
import { createDiscordChannel } from "./channel.ts";
import { DiscordConfigSchema } from "./config.ts";
import type { DiscordConfig } from "./config.ts";

/** The entry for the loader. */
export const discordExtension: ChannelExtension<DiscordConfig> = {
  id: "discord",
  api: 1,
  configSchema: DiscordConfigSchema,
  create: createDiscordChannel,
};
