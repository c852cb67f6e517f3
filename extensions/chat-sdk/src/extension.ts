import type { ChannelExtension } from "@factotum/channel-contract";
import { createChatSdkChannel } from "./channel.ts";
import { ChatSdkConfigSchema } from "./config.ts";
import type { ChatSdkConfig } from "./config.ts";

/** The entry for the composition root. */
export const chatSdkExtension: ChannelExtension<ChatSdkConfig> = {
  id: "chat-sdk",
  api: 1,
  configSchema: ChatSdkConfigSchema,
  create: createChatSdkChannel,
};
