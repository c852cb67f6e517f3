import type { ChannelExtension } from "@factotum/channel-contract";
import { createSlackChannel } from "./channel.ts";
import { SlackConfigSchema } from "./config.ts";
import type { SlackConfig } from "./config.ts";

/** The entry for the composition root. */
export const slackExtension: ChannelExtension<SlackConfig> = {
  id: "slack",
  api: 1,
  configSchema: SlackConfigSchema,
  create: createSlackChannel,
};
