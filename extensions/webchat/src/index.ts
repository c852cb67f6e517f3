export { createWebchatChannel } from "./channel.ts";
export type { WebchatDependencies } from "./channel.ts";
export { WebchatConfigSchema } from "./config.ts";
export type { WebchatConfig } from "./config.ts";
export { webchatExtension } from "./extension.ts";
