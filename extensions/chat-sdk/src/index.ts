export { createChatSdkChannel } from "./channel.ts";
export { ChatSdkConfigSchema } from "./config.ts";
export type { ChatSdkConfig } from "./config.ts";
export { chatSdkExtension } from "./extension.ts";
