export { definePlugin, PLUGIN_LIMITS } from "./plugin-api.ts";
export type {
  Plugin,
  PluginApi,
  PluginCall,
  PluginCommand,
  PluginCommandCall,
  PluginLogger,
  PluginMemory,
  PluginMemoryHit,
  PluginMemoryPassage,
  PluginMemoryQuery,
  PluginModelCall,
  PluginModels,
  PluginResponse,
  PluginRoute,
  PluginRouteAnswer,
  PluginRouteMethod,
  PluginRouteRequest,
  PluginState,
  PluginTool,
  PluginToolResult,
} from "./plugin-api.ts";
export { HOOKS, isHookName } from "./hooks.ts";
export type {
  HookAnswers,
  HookConversation,
  HookHandler,
  HookKind,
  HookMessage,
  HookModelCall,
  HookName,
  HookPayloads,
  HookPlace,
  HookRow,
} from "./hooks.ts";
export type { PluginJson, PluginObject } from "./plugin-json.ts";
