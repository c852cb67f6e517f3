export { serveAcp } from "./serve-acp.ts";
export type { AcpServerOptions } from "./acp-server.ts";
export type { GatewayConnection, GatewayEvent } from "./gateway-connection.ts";
