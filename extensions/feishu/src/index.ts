export { createFeishuChannel } from "./channel.ts";
export { FeishuConfigSchema } from "./config.ts";
export type { FeishuConfig, FeishuTransport } from "./config.ts";
export { feishuExtension } from "./extension.ts";
