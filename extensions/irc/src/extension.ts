import type { ChannelExtension } from "@factotum/channel-contract";
import { createIrcChannel } from "./channel.ts";
import { IrcConfigSchema } from "./config.ts";
import type { IrcConfig } from "./config.ts";

/** The entry for the composition root. */
export const ircExtension: ChannelExtension<IrcConfig> = {
  id: "irc",
  api: 1,
  configSchema: IrcConfigSchema,
  create: createIrcChannel,
};
