import type { ChannelExtension } from "@factotum/channel-contract";
import { createSampleChatChannel } from "./channel.ts";
import { SampleChatConfigSchema } from "./config.ts";
import type { SampleChatConfig } from "./config.ts";

/** What the composition root is given. */
export const sampleChatExtension: ChannelExtension<SampleChatConfig> = {
  id: "sample-chat",
  api: 1,
  configSchema: SampleChatConfigSchema,
  create: createSampleChatChannel,
};
