export { readToolNames } from "./read-tool-names.ts";
export { McpServers } from "./mcp-servers.ts";
export { LoginError } from "./oauth/login-error.ts";
export { lastRedirectUrl, startLogin } from "./oauth/log-in.ts";
export type { StartedLogin, StartLoginOptions } from "./oauth/log-in.ts";
export { revokeLogin } from "./oauth/revoke-login.ts";
export type { Revocation } from "./oauth/revoke-login.ts";
export type { LoginPorts, McpOptions } from "./ports.ts";
export type { RemoteServer, ServerSettings } from "./server-settings.ts";
