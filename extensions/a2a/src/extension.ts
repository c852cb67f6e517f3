import type { ChannelExtension } from "@factotum/channel-contract";
import { createA2aChannel } from "./channel.ts";
import { A2aConfigSchema } from "./config.ts";
import type { A2aConfig } from "./config.ts";

/** The entry for the composition root. */
export const a2aExtension: ChannelExtension<A2aConfig> = {
  id: "a2a",
  api: 1,
  configSchema: A2aConfigSchema,
  create: createA2aChannel,
};
