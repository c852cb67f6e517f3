import type { ChannelExtension } from "@factotum/channel-contract";
import { createFeishuChannel } from "./channel.ts";
import { FeishuConfigSchema } from "./config.ts";
import type { FeishuConfig } from "./config.ts";

/** What the composition root is given. */
export const feishuExtension: ChannelExtension<FeishuConfig> = {
  id: "feishu",
  api: 1,
  configSchema: FeishuConfigSchema,
  create: createFeishuChannel,
};
