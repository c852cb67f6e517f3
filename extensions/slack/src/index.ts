export { createSlackChannel } from "./channel.ts";
export { SlackConfigSchema } from "./config.ts";
export type { SlackConfig, SlackTransport } from "./config.ts";
export { slackExtension } from "./extension.ts";
