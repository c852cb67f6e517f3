export { createWebhookChannel } from "./channel.ts";
export { WebhookConfigSchema } from "./config.ts";
export type { WebhookConfig } from "./config.ts";
export { webhookExtension } from "./extension.ts";
