import type { ChannelExtension } from "@factotum/channel-contract";
import { createSampleChatChannel } from "./channel.ts";
import { SampleChatConfigSchema } from "./config.ts";
import type { SampleChatConfig } from "./config.ts";

/** The entry for the composition root. */
export const sampleChatExtension: ChannelExtension<SampleChatConfig> = {
  id: "sample-chat",
  api: 1,
  configSchema: SampleChatConfigSchema,
  create: createSampleChatChannel,
};
