export { createA2aChannel } from "./channel.ts";
export { A2aConfigSchema } from "./config.ts";
export type { A2aConfig, A2aPeer } from "./config.ts";
export { a2aExtension } from "./extension.ts";
