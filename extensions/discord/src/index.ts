export { createDiscordChannel } from "./channel.ts";
export { DiscordConfigSchema } from "./config.ts";
export type { DiscordConfig } from "./config.ts";
export { discordExtension } from "./extension.ts";
