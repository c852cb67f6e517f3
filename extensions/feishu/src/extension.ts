import type { ChannelExtension } from "@factotum/channel-contract";
import { createFeishuChannel } from "./channel.ts";
import { FeishuConfigSchema } from "./config.ts";
import type { FeishuConfig } from "./config.ts";

/** The entry for the composition root. */
export const feishuExtension: ChannelExtension<FeishuConfig> = {
  id: "feishu",
  api: 1,
  configSchema: FeishuConfigSchema,
  create: createFeishuChannel,
};
