import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig, makeFolder } from "@factotum/config";
import { createFileAccess } from "@factotum/tools";
import { createLspServers, lspLimits, lspSettings } from "../compose/compose-lsp.ts";
import { configOptions } from "../compose/extensions.ts";
import { createRunRoots } from "../compose/run-roots.ts";
import { createServerHost } from "../compose/server-runner.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { QUIET_LOGGER } from "../runtime/quiet-logger.ts";
import { SecretFilter } from "../runtime/secret-filter.ts";
import { systemClock, systemRandom } from "../runtime/system-clock.ts";
import { refusedStart } from "./refused-start.ts";

/** Longer than a session waits: some servers index first. */
const START_MS = 60_000;

/** Starts a server in the workspace of the default agent, lists its tools and ends it. A running gateway is left alone. */
export async function lspTest(context: CliContext, name: string, { json }: { readonly json: boolean }): Promise<number> {
  const loaded = await loadConfig(await configOptions(context.env));
  if (loaded.type === "refused") throw refusedStart(loaded);
  const { config } = loaded;
  const settings = lspSettings({ ...config.lsp, detect: true })[name];
  const agent = config.agents.find(({ id }) => id === config.defaultAgentId);
  if (settings === undefined || agent === undefined)
    throw new CliError("failure", `There is no language server ${JSON.stringify(name)}, or it is off.`, {
      fix: "List them with: factotum lsp list",
    });
  const folder = await mkdtemp(join(tmpdir(), "factotum-lsp-"));
  const system = { clock: systemClock, random: systemRandom, logger: QUIET_LOGGER, currentConfig: () => config };
  const host = createServerHost(context, { ...system, recordFolder: join(folder, "processes") });
  const roots = createRunRoots(context.paths, () => config);
  const files = createFileAccess({
    roots: roots.rootsOf,
    home: context.paths.home,
    protectedPaths: [loaded.path],
    userHome: context.paths.userHome,
  });
  const parts = { ...system, secrets: new SecretFilter(), roots, files };
  const servers = createLspServers(context, loaded, { ...parts, host, folder: join(folder, "lists"), firstStartMs: START_MS });
  try {
    await makeFolder(agent.workspace);
    const [source] = servers.sources({ [name]: settings }, lspLimits(config.lsp));
    await source?.prepare?.({ agentId: agent.id, workspace: agent.workspace, signal: context.signal });
    if (source?.problem !== undefined)
      throw new CliError("failure", `${name} cannot be used: ${source.problem}.`, { fix: "Check its settings, and what it needs." });
    const tools = source?.tools.map((tool) => tool.name) ?? [];
    if (tools.length === 0)
      throw new CliError("failure", `${name} was not started, or has not answered.`, {
        fix: `Check with "factotum lsp list" that it is installed and on, and put a file of its languages into ${agent.workspace}.`,
      });
    if (json) printJson(context, { server: name, tools });
    else context.print(terminalText(`${name} works. Its tools:\n${tools.map((tool) => `  ${tool}\n`).join("")}`));
    return EXIT.ok;
  } finally {
    await servers.close();
    await host.close();
    await rm(folder, { recursive: true, force: true });
  }
}
