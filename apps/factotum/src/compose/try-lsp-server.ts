import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { makeFolder, type FactotumConfig } from "@factotum/config";
import type { ServerSettings } from "@factotum/plugin-lsp";
import { createFileAccess } from "@factotum/tools";
import type { CliContext } from "../runtime/cli-context.ts";
import { QUIET_LOGGER } from "../runtime/quiet-logger.ts";
import { SecretFilter } from "../runtime/secret-filter.ts";
import { systemClock, systemRandom } from "../runtime/system-clock.ts";
import { createLspServers, lspLimits } from "./compose-lsp.ts";
import { createRunRoots } from "./run-roots.ts";
import { createServerHost } from "./server-runner.ts";

/** Longer than a session waits: some servers index first. */
const START_MS = 60_000;

/** Starts a language server in a workspace, resolves with the names of its tools or why it cannot be used, and ends it. A running gateway is left alone. */
export async function tryLspServer(
  name: string,
  settings: ServerSettings,
  {
    context,
    config,
    configPath,
    agentId,
    workspace,
  }: {
    readonly context: CliContext;
    readonly config: FactotumConfig;
    readonly configPath: string;
    readonly agentId: string;
    readonly workspace: string;
  },
): Promise<{ readonly tools: readonly string[]; readonly problem?: string }> {
  const folder = await mkdtemp(join(tmpdir(), "factotum-lsp-"));
  const system = { clock: systemClock, random: systemRandom, logger: QUIET_LOGGER, currentConfig: () => config };
  const host = createServerHost(context, { ...system, recordFolder: join(folder, "processes") });
  const roots = createRunRoots(context.paths, () => config);
  const { home, userHome } = context.paths;
  const files = createFileAccess({ roots: roots.rootsOf, home, protectedPaths: [configPath], userHome });
  const parts = { ...system, secrets: new SecretFilter(), roots, files };
  const servers = createLspServers(
    context,
    { path: configPath },
    { ...parts, host, folder: join(folder, "lists"), firstStartMs: START_MS },
  );
  try {
    await makeFolder(workspace);
    const [source] = servers.sources({ [name]: settings }, lspLimits(config.lsp));
    await source?.prepare?.({ agentId, workspace, signal: context.signal });
    const tools = source?.tools.map((tool) => tool.name) ?? [];
    return source?.problem === undefined ? { tools } : { tools, problem: source.problem };
  } finally {
    await servers.close();
    await host.close();
    await rm(folder, { recursive: true, force: true });
  }
}
