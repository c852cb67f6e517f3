export { startGateway } from "./gateway.ts";
export type { Gateway, GatewayOptions } from "./gateway.ts";
export type { ChannelAccount } from "./channels/channel-registry.ts";
