export { createIrcChannel } from "./channel.ts";
export { IrcConfigSchema } from "./config.ts";
export type { IrcChannelConfig, IrcConfig, IrcTls } from "./config.ts";
export { ircExtension } from "./extension.ts";
