export { CRASH_POINTS } from "./crash-point.ts";
export type { CrashPoint, CrashPointHook } from "./crash-point.ts";
export { startGateway } from "./gateway.ts";
export type { Gateway, GatewayOptions } from "./gateway.ts";
export type { ChannelAccount } from "./channels/channel-registry.ts";
export { inboundMediaFolder } from "./media/store/media-store.ts";
export type { LocalFile, LocalFiles } from "./media/local-files.ts";
