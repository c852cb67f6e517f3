import { join } from "node:path";
import { AcpAgents } from "@factotum/acp-client";
import type { Clock, Logger, Random } from "@factotum/agent-contract";
import type { FactotumConfig, LoadedConfig } from "@factotum/config";
import type { CliContext } from "../runtime/cli-context.ts";
import type { SecretFilter } from "../runtime/secret-filter.ts";
import { commandSearchPath } from "./command-environment.ts";
import { createReadSecret } from "./compose-mcp.ts";
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
    settings: () => acpSettings(currentConfig()),
    runner: createServerRunner(context, loaded, { ...parts, host }),
    clock,
    version,
    searchPath: commandSearchPath(context),
    readSecret: async (secret) => createReadSecret(env, secrets)(secret as Parameters<ReturnType<typeof createReadSecret>>[0]),
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
