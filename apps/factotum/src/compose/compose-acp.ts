import { join } from "node:path";
import { AcpAgents, type AgentServer, type AgentSettings } from "@factotum/acp-client";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Logger, Random } from "@factotum/agent-contract";
import type { FactotumConfig, LoadedConfig } from "@factotum/config";
import type { CliContext } from "../runtime/cli-context.ts";
import type { SecretFilter } from "../runtime/secret-filter.ts";
import { commandSearchPath } from "./command-environment.ts";
import { createReadSecret } from "./compose-mcp.ts";
import { hasLogin } from "./mcp-logins.ts";
import { endOrphans } from "./open-runner.ts";
import type { RunRoots } from "./run-roots.ts";
import { createServerHost, createServerRunner } from "./server-runner.ts";

/** The external agents of a gateway. */
export interface ComposedAcp {
  readonly agents: AcpAgents;
  /** Ends all of them. */
  readonly close: () => Promise<void>;
}

interface AcpParts {
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  readonly secrets: SecretFilter;
  readonly roots: RunRoots;
  readonly currentConfig: () => FactotumConfig;
}

/** Prepares external agents, after ending those that a killed gateway left running. Nothing is loaded or started before a conversation needs one. */
export async function composeAcp(context: CliContext, loaded: Pick<LoadedConfig, "path">, parts: AcpParts): Promise<ComposedAcp> {
  const { env, paths, version } = context;
  const { clock, secrets, currentConfig } = parts;
  const host = createServerHost(context, { ...parts, recordFolder: join(paths.stateFolder, "acp-processes") });
  await endOrphans(host, parts.logger);
  const agents = new AcpAgents({
    settings: () => withServers(acpSettings(currentConfig()), currentConfig()),
    runner: createServerRunner(context, loaded, { ...parts, host }),
    clock,
    version,
    searchPath: commandSearchPath(context),
    readSecret: async (secret) => createReadSecret(env, secrets)(secret as Parameters<ReturnType<typeof createReadSecret>>[0]),
    hasLogin: async (server) => hasLogin(paths, server),
    hideSecrets: (text) => secrets.hide(text),
  });
  return {
    agents,
    close: async () => {
      await agents.closeAll();
      await host.close();
    },
  };
}

/** The external agents that may be started. */
export function acpSettings({ acp }: Pick<FactotumConfig, "acp">): FactotumConfig["acp"]["agents"] {
  return acp.enabled ? acp.agents : {};
}

/** The agents with the tool servers that they get; one that is switched off, they do not get. */
function withServers(
  agents: FactotumConfig["acp"]["agents"],
  { mcp }: Pick<FactotumConfig, "mcp">,
): Readonly<Record<string, AgentSettings>> {
  const serverOf = (name: string): readonly AgentServer[] => {
    const server = Object.hasOwn(mcp.servers, name) ? mcp.servers[name] : undefined;
    if (server === undefined || !server.enabled) return [];
    if ("command" in server) {
      const { command, args, env, cwd } = server;
      return [{ name, command, args, env, ...withoutUndefined({ cwd }) }];
    }
    const { url, transport, headers, auth } = server;
    return [{ name, url, transport, headers, ...withoutUndefined({ auth }) }];
  };
  return Object.fromEntries(
    Object.entries(agents).map(([id, { mcpServers, ...agent }]) => [id, { ...agent, mcpServers: mcpServers.flatMap(serverOf) }]),
  );
}
