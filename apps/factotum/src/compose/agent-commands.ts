import type { GatewayOptions } from "@factotum/gateway";

/** The agent's description of this command: only features of this build. */
export const AGENT_COMMANDS: GatewayOptions["commands"] = [
  { usage: "factotum status", purpose: "show what is running and whether it is healthy" },
  { usage: "factotum doctor", purpose: "find problems and say how to fix them" },
  { usage: "factotum config get|set|unset|validate", purpose: "read, change and check the configuration", isInGatewayTool: true },
  {
    isInGatewayTool: true,
    usage: "factotum gateway restart",
    purpose: "restart the gateway; only changes to `gateway.port` or `gateway.bind` need a restart",
  },
];
