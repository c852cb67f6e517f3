import { withoutUndefined, type JsonObject } from "@factotum/agent-contract";
import { configParserOf, type ConfigProblem, type FactotumConfig } from "@factotum/config";
import { promptCommandName, RESERVED_COMMANDS } from "@factotum/gateway";
import type { InstalledPlugin } from "@factotum/plugin-host";
import type { FoundExtensions, FoundPlugin } from "./found-extensions.ts";
import { readSchemaFile } from "./schema-file.ts";
import { decidingHooks, type StoppedPlugin } from "./stopped-hooks.ts";

/** The plugins that a configuration uses, and what is wrong with others. */
export interface UsablePlugins {
  readonly plugins: readonly InstalledPlugin[];
  /** Those whose settings are wrong, and which decide on something. */
  readonly stopped: readonly StoppedPlugin[];
  readonly problems: readonly ConfigProblem[];
}

/** What a configuration says about plugins. */
interface PluginSettings extends Pick<FactotumConfig, "plugins" | "memory"> {
  readonly agents: readonly Pick<FactotumConfig["agents"][number], "id" | "workspace">[];
}

/** Decides which installed plugins are used, and checks their settings. Reads their schemas, and runs no code of theirs. */
export async function usablePlugins(
  { plugins: found, servers }: Pick<FoundExtensions, "plugins" | "servers">,
  { plugins, memory, agents }: PluginSettings,
): Promise<UsablePlugins> {
  const { entries, allow, deny } = plugins;
  const used: InstalledPlugin[] = [];
  const stopped: StoppedPlugin[] = [];
  const problems: ConfigProblem[] = [];
  for (const one of found) {
    const { id, packageName, version, folder, entry, tools, hooks, commands, models, routes, isMemory, permissions } = one;
    const { enabled = true, trusted = false, idleSeconds, config = {} } = entries[id] ?? {};
    if (!enabled || deny.includes(id) || allow?.includes(id) === false) continue;
    const reason = await settingsProblem(one, config);
    if (reason !== undefined) {
      const deciding = decidingHooks(hooks);
      const names = deciding.map(({ name }) => name).join(", ");
      const denied = `. Until this is mended or the plugin is switched off, what it decides on is denied (${names})`;
      const message = `the plugin ${id} is not used: ${reason}${deciding.length === 0 ? "" : denied}`;
      problems.push({ type: "extension", path: `plugins.entries.${id}.config`, message });
      if (deciding.length > 0) stopped.push({ id, reason, hooks: deciding });
      continue;
    }
    const named = (kind: string): readonly string[] =>
      permissions.flatMap((permission) => (permission.startsWith(`${kind}:`) ? [permission.slice(kind.length + 1)] : []));
    const facts = {
      id,
      packageName,
      version,
      folder,
      entry,
      tools,
      hooks,
      commands,
      routes,
      roles: [...(models.length > 0 ? (["models"] as const) : []), ...(isMemory ? (["memory"] as const) : [])],
    };
    const workspaces = permissions.includes("fs:workspace")
      ? Object.fromEntries(agents.map(({ id: agentId, workspace }) => [agentId, workspace]))
      : {};
    const allowed = { hosts: named("network"), secrets: named("secrets"), workspaces, mayRun: permissions.includes("exec") };
    const idleMs = idleSeconds === undefined ? undefined : idleSeconds * 1_000;
    used.push({ ...facts, ...allowed, ...withoutUndefined({ idleMs }), config: config as JsonObject, trusted });
  }
  for (const id of Object.keys(entries)) {
    if (found.some((one) => one.id === id)) continue;
    if ([...servers.mcp, ...servers.lsp].some(({ ids }) => ids.includes(id))) {
      const { trusted = false, idleSeconds, config = {} } = entries[id] ?? {};
      const message = `${id} is of servers, for which only enabled counts here; for other settings write an entry of the server's name into mcp.servers or lsp.servers`;
      if (trusted || idleSeconds !== undefined || Object.keys(config).length > 0)
        problems.push({ type: "extension", path: `plugins.entries.${id}`, message });
      continue;
    }
    const message = `no installed package has a plugin ${id}; install it: factotum plugins add <folder, tarball or package>`;
    problems.push({ type: "extension", path: `plugins.entries.${id}`, message });
  }
  problems.push(...commandProblems(used));
  const { provider } = memory;
  if (provider !== undefined && !used.some(({ id, roles }) => id === provider && roles.includes("memory"))) {
    const message = `no plugin ${provider} that is used is a memory, so that nothing can be searched; install or switch it on, or remove this key for the product's own memory`;
    problems.push({ type: "extension", path: "memory.provider", message });
  }
  return { plugins: used, stopped, problems };
}

/** Commands that cannot be typed: of two with one name the first counts, and the product's own come before any. */
function commandProblems(plugins: readonly InstalledPlugin[]): readonly ConfigProblem[] {
  const owners = new Map(RESERVED_COMMANDS.map((name) => [promptCommandName(name), "the product itself"]));
  const problems: ConfigProblem[] = [];
  for (const { id, commands } of plugins.toSorted((one, other) => (one.id < other.id ? -1 : 1))) {
    for (const { name } of commands) {
      const owner = owners.get(promptCommandName(name));
      const message = `the command /${name} of the plugin ${id} cannot be used: ${owner ?? ""} has one of this name`;
      if (owner === undefined) owners.set(promptCommandName(name), `the plugin ${id}`);
      else problems.push({ type: "extension", path: `plugins.entries.${id}`, message });
    }
  }
  return problems;
}

async function settingsProblem({ configSchema }: FoundPlugin, config: Readonly<Record<string, unknown>>): Promise<string | undefined> {
  if (configSchema === undefined) return Object.keys(config).length === 0 ? undefined : "it has no settings";
  try {
    const checked = configParserOf(await readSchemaFile(configSchema)).safeParse(config);
    if (checked.success) return undefined;
    const [issue] = checked.error.issues;
    const { path = [], message = "they are not valid" } = issue ?? {};
    return path.length === 0 ? message : `${path.join(".")}: ${message}`;
  } catch (error) {
    return `its schema ${error instanceof Error ? error.message : "cannot be read"}`;
  }
}
