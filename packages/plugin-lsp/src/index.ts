export { withKnownDefaults } from "./known-servers.ts";
export { lookUpServer } from "./look-up-server.ts";
export { LspServers, knownServerSettings } from "./lsp-servers.ts";
export type { LspFile, LspFileChange, LspLimits, LspOptions, LspRunFiles } from "./ports.ts";
export type { ServerSettings } from "./server-settings.ts";
