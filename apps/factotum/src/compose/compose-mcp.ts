import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Logger, ModelSampler, Questioner, Random, ToolSource } from "@factotum/agent-contract";
import { resolveSecret, type FactotumConfig, type LoadedConfig, type Secret } from "@factotum/config";
import { httpFetch } from "@factotum/models";
import { McpServers, type McpOptions, type ServerSettings } from "@factotum/plugin-mcp";
import type { HostRunner } from "@factotum/sandbox";
import type { CliContext } from "../runtime/cli-context.ts";
import type { SecretFilter } from "../runtime/secret-filter.ts";
import { endOrphans } from "./open-runner.ts";
import type { EditorLinks } from "@factotum/gateway";
import { createEditorTools } from "./editor-tools.ts";
import { createLoginPorts } from "./mcp-logins.ts";
import { redactTools } from "./redact-tools.ts";
import type { RunRoots } from "./run-roots.ts";
import { createServerHost, createServerRunner } from "./server-runner.ts";

/** The MCP servers of a gateway. */
export interface ComposedMcp {
  /** Sources of tools under this configuration. The last ports are used from then on. */
  readonly sources: (config: FactotumConfig, ports: ServerPorts) => readonly ToolSource[];
  /** Ends what runs of a server, and starts it for a place at once; `undefined` if there is no such server. */
  readonly reconnect: McpServers["reconnect"];
  readonly problems: McpServers["problems"];
  /** Ends all servers. */
  readonly close: () => Promise<void>;
}

/** What servers may ask for in a call. */
interface ServerPorts {
  readonly questioner: Questioner;
  readonly sampler: ModelSampler;
}

interface McpParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly secrets: SecretFilter;
  readonly roots: RunRoots;
  readonly currentConfig: () => FactotumConfig;
  /** What editors do for runs; it gets the tools of servers that they name. None for commands that start no gateway. */
  readonly editors?: EditorLinks;
}

/** Where the lists of tools are kept. */
export function mcpListFolder({ stateFolder }: Pick<CliContext["paths"], "stateFolder">): string {
  return join(stateFolder, "mcp");
}

/** Prepares MCP servers, after ending those that a killed gateway left running. Nothing is loaded or started before a session needs one. */
export async function composeMcp(context: CliContext, loaded: Pick<LoadedConfig, "paths" | "path">, parts: McpParts): Promise<ComposedMcp> {
  const { paths } = context;
  const host = createServerHost(context, { ...parts, recordFolder: join(paths.stateFolder, "mcp-processes") });
  await endOrphans(host, parts.logger);
  let given: ServerPorts | undefined;
  const ports = (): ServerPorts => {
    if (given === undefined) throw new Error("The gateway has not started yet.");
    return given;
  };
  const questioner: Questioner = { ask: async (questions, options) => ports().questioner.ask(questions, options) };
  const sampler: ModelSampler = { sample: async (request, options) => ports().sampler.sample(request, options) };
  const servers = createMcpServers(context, loaded, { ...parts, host, questioner, sampler, listFolder: mcpListFolder(paths) });
  const editorFolder = join(paths.stateFolder, "mcp-editors");
  await rm(editorFolder, { recursive: true, force: true });
  const editorTools = createEditorTools({
    ...parts,
    folder: editorFolder,
    create: (listFolder) => createMcpServers(context, loaded, { ...parts, host, questioner, listFolder, isEditors: true }),
    isConfigured: (name) => Object.keys(parts.currentConfig().mcp.servers).some((one) => one.toLowerCase() === name),
  });
  parts.editors?.openToolsWith(editorTools);
  return {
    sources: (config, newest) => {
      given = newest;
      return servers.sources(mcpSettings(config));
    },
    reconnect: (name, place) => servers.reconnect(name, place),
    problems: () => servers.problems(),
    close: async () => {
      await servers.close();
      await host.close();
    },
  };
}

/** The servers around a runner. `listFolder` is used by this process alone. */
export function createMcpServers(
  context: CliContext,
  loaded: Pick<LoadedConfig, "paths" | "path">,
  {
    secrets,
    roots,
    currentConfig,
    host,
    listFolder,
    firstListMs,
    questioner,
    sampler,
    isEditors = false,
    ...system
  }: McpParts & {
    readonly host: HostRunner;
    readonly listFolder: string;
    readonly firstListMs?: number;
    readonly questioner?: Questioner;
    readonly sampler?: ModelSampler;
    /** An editor has named them: their settings hold plain values, and no login is kept for them. */
    readonly isEditors?: boolean;
  },
): McpServers {
  const { env, paths } = context;
  const runner = createServerRunner(context, loaded, { ...system, roots, currentConfig, host });
  return new McpServers({
    ...system,
    runner,
    fetch: httpFetch,
    version: context.version,
    folder: listFolder,
    ...withoutUndefined({ firstListMs, questioner, sampler }),
    readSecret: isEditors ? async (value) => (typeof value === "string" ? value : JSON.stringify(value)) : createReadSecret(env, secrets),
    logins: { ...createLoginPorts(paths, { ...system, secrets }), ...(isEditors ? NO_LOGINS : {}) },
    hideSecrets: (text) => secrets.hide(text),
    decorate: (tools) => redactTools(tools, secrets.toolOutput),
    makeFolder: async (name) => {
      const folder = join(paths.home, "mcp", name);
      await mkdir(folder, { recursive: true, mode: 0o700 });
      return folder;
    },
  });
}

const NO_LOGINS = { read: async (): Promise<undefined> => undefined, write: async (): Promise<void> => undefined };

/** Reads secrets of servers, and has them hidden. */
export function createReadSecret(env: CliContext["env"], secrets: SecretFilter): McpOptions["readSecret"] {
  return async (reference) => {
    const secret = reference as Secret;
    const found = await resolveSecret(secret, { env });
    if (found.type === "unresolved") throw new Error(found.message);
    // Literal ones are known from the configuration, as far as they are secrets.
    if (secret.type !== "literal") secrets.add([found.value]);
    return found.value;
  };
}

/** The settings of the servers that are on. */
export function mcpSettings({ mcp }: FactotumConfig): Readonly<Record<string, ServerSettings>> {
  return Object.fromEntries(
    Object.entries(mcp.servers).flatMap(([name, { enabled, ...settings }]) => (enabled ? [[name, settings as ServerSettings]] : [])),
  );
}
