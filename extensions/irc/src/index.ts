export { createIrcChannel } from "./channel.ts";
export { IrcConfigSchema } from "./config.ts";
export type { IrcChannelConfig, IrcConfig, IrcTls } from "./config.ts";
export { ircExtension } from "./extension.ts";
export { senderIdProblem } from "./sender-id.ts";
export type { SenderIdProblem } from "./sender-id.ts";
