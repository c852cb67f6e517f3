export { readToolNames } from "./read-tool-names.ts";
export { McpServers } from "./mcp-servers.ts";
export type { McpOptions } from "./ports.ts";
export type { ServerSettings } from "./server-settings.ts";
