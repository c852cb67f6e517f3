import type { ChannelExtension } from "@factotum/channel-contract";
import { createWebhookChannel } from "./channel.ts";
import { WebhookConfigSchema } from "./config.ts";
import type { WebhookConfig } from "./config.ts";

/** The entry for the composition root. */
export const webhookExtension: ChannelExtension<WebhookConfig> = {
  id: "webhook",
  api: 1,
  configSchema: WebhookConfigSchema,
  create: createWebhookChannel,
};
