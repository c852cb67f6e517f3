export { createSampleChatChannel } from "./channel.ts";
export { SampleChatConfigSchema } from "./config.ts";
export type { SampleChatConfig } from "./config.ts";
export { sampleChatExtension } from "./extension.ts";
