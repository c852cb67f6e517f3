import { join, resolve } from "node:path";
import { overlay, type Document } from "./document/plain-object.ts";
import { withPackageServers, type PackageServers } from "./package-servers.ts";
import type { FactotumConfig, ResolvedAgent } from "./factotum-config.ts";
import { withPackageProviders, type PackageProvider } from "./package-providers.ts";
import { AgentEntrySchema } from "./schema/agents.ts";
import type { McpServerConfig } from "./schema/mcp-servers.ts";
import { expandHome, type StatePaths } from "./state/state-paths.ts";
import { PARSE_ONCE } from "./validate/parse-once.ts";
import type { ValidDocument } from "./validate/validate-document.ts";

/** Facts of the machine that defaults depend on. */
export interface HostFacts {
  readonly cores: number;
  /** IANA name. */
  readonly timeZone: string;
}

const MAIN_AGENT = "main";
/** Keys that hold one value in several forms: the list entry replaces it, they are never merged. */
const WHOLE_ROWS = ["model"];

interface Surroundings {
  readonly paths: StatePaths;
  readonly host: HostFacts;
  readonly skillFolders: readonly string[];
  readonly packageProviders: readonly PackageProvider[];
  readonly packageServers: PackageServers;
}

/** Applies every default that depends on another key, on the machine or on the state directory. */
export function resolveConfig(
  document: ValidDocument,
  { paths, host, skillFolders, packageProviders, packageServers }: Surroundings,
): FactotumConfig {
  const { parsed, channels } = document;
  const { agents: _agents, channels: _channels, ...sections } = parsed;
  const agents = resolveAgents(document, { paths, host });
  return {
    ...sections,
    tools: { ...sections.tools, fs: { roots: sections.tools.fs.roots.map((root) => resolve(paths.home, expandHome(root, paths))) } },
    skills: {
      ...sections.skills,
      load: {
        extraDirs: [...sections.skills.load.extraDirs.map((folder) => resolve(paths.home, expandHome(folder, paths))), ...skillFolders],
      },
    },
    memory: { ...sections.memory, extraPaths: sections.memory.extraPaths.map((path) => resolve(paths.home, expandHome(path, paths))) },
    models: { ...sections.models, providers: withPackageProviders(sections.models.providers, packageProviders, sections.plugins) },
    mcp: {
      servers: withPackageServers(
        Object.fromEntries(Object.entries(sections.mcp.servers).map(([name, server]) => [name, resolveServer(server, paths)])),
        packageServers.mcp,
        sections.plugins,
      ),
    },
    lsp: {
      ...sections.lsp,
      servers: withPackageServers(
        Object.fromEntries(
          Object.entries(sections.lsp.servers).map(([name, server]) => [name, { ...server, command: programOf(server.command, paths) }]),
        ),
        packageServers.lsp,
        sections.plugins,
      ),
    },
    acp: {
      ...sections.acp,
      agents: Object.fromEntries(Object.entries(sections.acp.agents).map(([id, agent]) => [id, withPaths(agent, paths)])),
    },
    agents,
    defaultAgentId: agents.find(({ isDefault }) => isDefault)?.id ?? MAIN_AGENT,
    maxConcurrent: parsed.agents.defaults.maxConcurrent ?? lanes(host.cores),
    channels,
  };
}

/** Paths of a local server; a program without a slash is looked for on the PATH. */
function resolveServer(server: McpServerConfig, paths: StatePaths): McpServerConfig {
  return "command" in server ? withPaths(server, paths) : server;
}

function withPaths<Program extends { readonly command: string; readonly cwd?: string | undefined }>(
  program: Program,
  paths: StatePaths,
): Program {
  const { command, cwd } = program;
  return {
    ...program,
    command: programOf(command, paths),
    ...(cwd === undefined ? {} : { cwd: resolve(paths.home, expandHome(cwd, paths)) }),
  };
}

function programOf(command: string, paths: StatePaths): string {
  return command.startsWith("~") ? expandHome(command, paths) : command;
}

function lanes(cores: number): number {
  return Math.min(16, Math.max(8, cores));
}

function resolveAgents({ written, parsed }: ValidDocument, facts: { paths: StatePaths; host: HostFacts }): ResolvedAgent[] {
  const rawAgents = (written["agents"] ?? {}) as { defaults?: Document; list?: readonly Document[] };
  const { maxConcurrent: _lane, ...defaults } = rawAgents.defaults ?? {};
  const entries = rawAgents.list === undefined || rawAgents.list.length === 0 ? [{ id: MAIN_AGENT }] : rawAgents.list;
  const chosen = Math.max(
    0,
    parsed.agents.list.findIndex((agent) => agent.default),
  );
  return entries.map((entry, index) => {
    const { default: _default, ...agent } = AgentEntrySchema.parse(overlay(defaults, entry, WHOLE_ROWS), PARSE_ONCE);
    const isDefault = index === chosen;
    return {
      ...agent,
      isDefault,
      // Two agents must not share a folder by inheritance: the folders in the defaults are the default agent's.
      workspace: workspaceOf(
        agent.id,
        { own: entry["workspace"], inherited: isDefault ? defaults["workspace"] : undefined, isDefault },
        facts.paths,
      ),
      userTimezone: agent.userTimezone ?? facts.host.timeZone,
    };
  });
}

function workspaceOf(id: string, choice: { own: unknown; inherited: unknown; isDefault: boolean }, paths: StatePaths): string {
  const named = choice.own ?? choice.inherited;
  if (typeof named === "string") return resolve(paths.home, expandHome(named, paths));
  return join(paths.home, choice.isDefault ? "workspace" : `workspace-${id}`);
}
