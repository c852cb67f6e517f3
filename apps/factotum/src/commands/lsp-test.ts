import { loadConfig } from "@factotum/config";
import { lspSettings } from "../compose/compose-lsp.ts";
import { configOptions } from "../compose/extensions.ts";
import { tryLspServer } from "../compose/try-lsp-server.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { CliError } from "../runtime/cli-error.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { refusedStart } from "../runtime/refused-start.ts";

/** Starts a server in the workspace of the default agent, lists its tools and ends it. A running gateway is left alone. */
export async function lspTest(context: CliContext, name: string, { json }: { readonly json: boolean }): Promise<number> {
  const loaded = await loadConfig(await configOptions(context.env));
  if (loaded.type === "refused") throw refusedStart(loaded);
  const { config, path: configPath } = loaded;
  const settings = lspSettings({ ...config.lsp, detect: true })[name];
  const agent = config.agents.find(({ id }) => id === config.defaultAgentId);
  if (settings === undefined || agent === undefined)
    throw new CliError("failure", `There is no language server ${JSON.stringify(name)}, or it is off.`, {
      fix: "List them with: factotum lsp list",
    });
  const place = { context, config, configPath, agentId: agent.id, workspace: agent.workspace };
  const { tools, problem } = await tryLspServer(name, settings, place);
  if (problem !== undefined)
    throw new CliError("failure", `${name} cannot be used: ${problem}.`, { fix: "Check its settings, and what it needs." });
  if (tools.length === 0)
    throw new CliError("failure", `${name} was not started, or has not answered.`, {
      fix: `Check with "factotum lsp list" that it is installed and on, and put a file of its languages into ${agent.workspace}.`,
    });
  if (json) printJson(context, { server: name, tools });
  else context.print(terminalText(`${name} works. Its tools:\n${tools.map((tool) => `  ${tool}\n`).join("")}`));
  return EXIT.ok;
}
