export { PluginHost } from "./plugin-host.ts";
export type { PluginHooks } from "./plugin-host.ts";
export type { HostedRoute } from "./plugin-routes.ts";
export type {
  DeclaredHook,
  DeclaredCommand,
  DeclaredRoute,
  DeclaredTool,
  InstalledPlugin,
  PluginFetch,
  PluginHostOptions,
  PluginRows,
} from "./installed-plugin.ts";
export { isHost } from "./plugin-services.ts";
