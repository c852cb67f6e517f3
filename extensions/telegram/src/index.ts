export { createTelegramChannel } from "./channel.ts";
export { TelegramConfigSchema } from "./config.ts";
export type { TelegramConfig, TelegramTransport } from "./config.ts";
export { telegramExtension } from "./extension.ts";
