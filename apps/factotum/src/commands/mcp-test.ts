import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadConfig, makeFolder } from "@factotum/config";
import { createMcpServers, mcpSettings } from "../compose/compose-mcp.ts";
import { createServerHost } from "../compose/server-runner.ts";
import { configOptions } from "../compose/extensions.ts";
import { createRunRoots } from "../compose/run-roots.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { QUIET_LOGGER } from "../runtime/quiet-logger.ts";
import { SecretFilter } from "../runtime/secret-filter.ts";
import { systemClock, systemRandom } from "../runtime/system-clock.ts";
import { refusedStart } from "../runtime/refused-start.ts";

/** Longer than a session waits: packages may have to be fetched. */
const START_MS = 90_000;

/** Starts or reaches a server as the default agent would, lists its tools and prompts, and ends it. A running gateway is left alone. */
export async function mcpTest(context: CliContext, name: string, { json }: { readonly json: boolean }): Promise<number> {
  const loaded = await loadConfig(await configOptions(context.env));
  if (loaded.type === "refused") throw refusedStart(loaded);
  const { config } = loaded;
  const settings = mcpSettings(config)[name];
  if (settings === undefined)
    throw new CliError("failure", `There is no server ${JSON.stringify(name)}, or it is off.`, {
      fix: "List them with: factotum mcp list",
    });
  const agent = config.agents.find(({ id }) => id === config.defaultAgentId);
  if (agent === undefined) throw new CliError("failure", "There is no default agent.");
  const folder = await mkdtemp(join(tmpdir(), "factotum-mcp-"));
  const system = { clock: systemClock, random: systemRandom, logger: QUIET_LOGGER, currentConfig: () => config };
  const host = createServerHost(context, { ...system, recordFolder: join(folder, "processes") });
  const parts = { ...system, secrets: new SecretFilter(), roots: createRunRoots(context.paths, () => config) };
  const servers = createMcpServers(context, loaded, { ...parts, host, listFolder: join(folder, "lists"), firstListMs: START_MS });
  try {
    await makeFolder(agent.workspace);
    const [source] = servers.sources({ [name]: settings });
    await source?.prepare?.({ agentId: agent.id, workspace: agent.workspace, signal: context.signal });
    if (source === undefined || source.problem !== undefined)
      throw new CliError("failure", `${name} cannot be used: ${source?.problem ?? "it is off"}.`, {
        fix: "Check its settings, and what it needs.",
      });
    const tools = source.tools.map((tool) => ({ name: tool.name, description: tool.description }));
    const prompts = (source.prompts ?? []).map((prompt) => ({ name: prompt.name, summary: prompt.summary }));
    if (json) printJson(context, { server: name, tools, prompts });
    else {
      context.print(`${name} works. Its tools: ${tools.length}\n`);
      for (const tool of tools) context.print(terminalText(`  ${tool.name}\n`));
      if (prompts.length > 0) context.print(`Its prompts: ${prompts.length}\n`);
      for (const prompt of prompts) context.print(terminalText(`  /${prompt.name}\n`));
    }
    return EXIT.ok;
  } finally {
    await servers.close();
    await host.close();
    await rm(folder, { recursive: true, force: true });
  }
}
