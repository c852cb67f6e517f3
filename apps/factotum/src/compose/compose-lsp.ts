import { join } from "node:path";
import type { ChangeChecker, Clock, JsonObject, JsonValue, Logger, Random, ToolSource } from "@factotum/agent-contract";
import { resolveSecret, type FactotumConfig, type LoadedConfig, type LspServerConfig, type Secret } from "@factotum/config";
import { knownServerSettings, LspServers, withKnownDefaults, type LspLimits, type ServerSettings } from "@factotum/plugin-lsp";
import type { HostRunner } from "@factotum/sandbox";
import type { FileAccess } from "@factotum/tools";
import type { CliContext } from "../runtime/cli-context.ts";
import type { SecretFilter } from "../runtime/secret-filter.ts";
import { createLspFiles } from "./lsp-files.ts";
import { endOrphans } from "./open-runner.ts";
import { redactTools } from "./redact-tools.ts";
import type { RunRoots } from "./run-roots.ts";
import { createServerHost, createServerRunner } from "./server-runner.ts";

/** The language servers of a gateway. */
export interface ComposedLsp {
  /** Sources of tools under this configuration. */
  readonly sources: (config: FactotumConfig) => readonly ToolSource[];
  readonly problems: LspServers["problems"];
  /** For tools that change files. */
  readonly changes: ChangeChecker;
  /** Ends all servers. */
  readonly close: () => Promise<void>;
}

interface LspParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly secrets: SecretFilter;
  readonly roots: RunRoots;
  readonly files: FileAccess;
  readonly currentConfig: () => FactotumConfig;
}

/** Where it is kept what servers can do. */
export function lspFolder({ stateFolder }: Pick<CliContext["paths"], "stateFolder">): string {
  return join(stateFolder, "lsp");
}

/** Prepares language servers, after ending those that a killed gateway left running. Nothing is loaded or started before a session needs one. */
export async function composeLsp(context: CliContext, loaded: Pick<LoadedConfig, "paths" | "path">, parts: LspParts): Promise<ComposedLsp> {
  const { paths } = context;
  const host = createServerHost(context, { ...parts, recordFolder: join(paths.stateFolder, "lsp-processes") });
  await endOrphans(host, parts.logger);
  const servers = createLspServers(context, loaded, { ...parts, host, folder: lspFolder(paths) });
  return {
    sources: ({ lsp }) => servers.sources(lspSettings(lsp), lspLimits(lsp)),
    problems: () => servers.problems(),
    changes: servers.changes,
    close: async () => {
      await servers.close();
      await host.close();
    },
  };
}

/** The servers around a runner. `folder` is used by this process alone. */
export function createLspServers(
  context: CliContext,
  loaded: Pick<LoadedConfig, "path">,
  {
    secrets,
    roots,
    files,
    currentConfig,
    host,
    folder,
    firstStartMs,
    ...system
  }: LspParts & { readonly host: HostRunner; readonly folder: string; readonly firstStartMs?: number },
): LspServers {
  const { env } = context;
  return new LspServers({
    ...system,
    runner: createServerRunner(context, loaded, { ...system, roots, currentConfig, host }),
    version: context.version,
    files: createLspFiles(files),
    folder,
    searchPath: env["PATH"] ?? "",
    ...(firstStartMs === undefined ? {} : { firstStartMs }),
    readSecret: async (reference) => {
      const secret = reference as Secret;
      const found = await resolveSecret(secret, { env });
      if (found.type === "unresolved") throw new Error(found.message);
      // Literal ones are known from the configuration, as far as they are secrets.
      if (secret.type !== "literal") secrets.add([found.value]);
      return found.value;
    },
    hideSecrets: (text) => secrets.hide(text),
    decorate: (tools) => redactTools(tools, secrets.toolOutput),
  });
}

/** The settings of the servers that are on, and of those that are looked for. */
export function lspSettings({ servers, detect }: FactotumConfig["lsp"]): Readonly<Record<string, ServerSettings>> {
  const all = Object.fromEntries(Object.entries(servers).map(([name, server]) => [name, settingsOf(name, server)]));
  const configured = Object.fromEntries(Object.entries(all).filter(([name]) => servers[name]?.enabled === true));
  // A server that is off is not replaced by one that is found.
  return { ...configured, ...(detect ? knownServerSettings(all) : {}) };
}

function settingsOf(name: string, { enabled: _enabled, command, args, ...server }: LspServerConfig): ServerSettings {
  return withKnownDefaults({
    ...server,
    programs: [{ command, args }],
    isDetected: false,
    languages: server.languages.length > 0 ? server.languages : [name],
    env: server.env as Readonly<Record<string, JsonValue>>,
    // Values of a JSON file.
    settings: server.settings as JsonObject,
    initializationOptions: server.initializationOptions as JsonValue | undefined,
  });
}

/** The settings of all servers together. */
export function lspLimits({ idleMinutes, maxServers, workspacePrograms, changeDiagnostics }: FactotumConfig["lsp"]): LspLimits {
  return { idleMs: idleMinutes * 60_000, maxServers, workspacePrograms, changeDiagnostics };
}
