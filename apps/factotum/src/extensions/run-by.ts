import type {
  Provided,
  ProvidedCommands,
  ProvidedHooks,
  ProvidedMemory,
  ProvidedModels,
  ProvidedRoutes,
  ProvidedTools,
} from "./provided-types.ts";

/** A part of a plugin. */
type ProvidedPlugin = ProvidedTools | ProvidedHooks | ProvidedModels | ProvidedMemory | ProvidedCommands | ProvidedRoutes;

/** What runs the code of each type; users are told of it before they install. A new type has to say it. */
const RUN_BY: Readonly<Record<Provided["type"], "gateway" | "server" | "plugin" | "nothing">> = {
  channel: "gateway",
  tools: "plugin",
  hooks: "plugin",
  models: "plugin",
  memory: "plugin",
  commands: "plugin",
  routes: "plugin",
  skills: "nothing",
  prompts: "nothing",
  mcp: "server",
  lsp: "server",
};

/** True if something that a package provides is run in this way. */
export function isRunBy(how: "gateway" | "server" | "plugin", provides: readonly Provided[]): boolean {
  return provides.some(({ type }) => RUN_BY[type] === how);
}

/** The parts of plugins among what a package provides. */
export function providedPlugins(provides: readonly Provided[]): readonly ProvidedPlugin[] {
  return provides.filter((one) => RUN_BY[one.type] === "plugin") as readonly ProvidedPlugin[];
}
