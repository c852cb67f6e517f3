import { loadConfig, type LoadedConfig } from "@factotum/config";
import { lookUpServer } from "@factotum/plugin-lsp";
import { lspFolder, lspSettings } from "../compose/compose-lsp.ts";
import { configOptions, packageOf } from "../compose/extensions.ts";
import { findGateway } from "../rpc/connect-gateway.ts";
import { printJson, type CliContext } from "../runtime/cli-context.ts";
import { EXIT } from "../runtime/exit-codes.ts";
import { terminalText } from "../runtime/foreign-text.ts";
import { renderTable } from "../runtime/render-table.ts";
import { refusedStart } from "../runtime/refused-start.ts";

export { lspTest } from "./lsp-test.ts";

const PREFIX = "tools:lsp:";

interface ServerRow {
  readonly name: string;
  /** The package that brings it; `null` for one of the configuration, and for a well-known one. */
  readonly source: string | null;
  readonly languages: readonly string[];
  /** It is well known and installed, and not configured. */
  readonly isDetected: boolean;
  readonly program: string | null;
  /** False for a well-known server while `lsp.detect` is off, and for one that is switched off. */
  readonly isUsed: boolean;
  readonly operations: readonly string[] | null;
  readonly problem: string | null;
}

/** Lists the configured servers, and the well-known ones that are installed. Starts none. */
export async function lspList(context: CliContext, { json }: { readonly json: boolean }): Promise<number> {
  const options = await configOptions(context.env);
  const loaded = await loadConfig(options);
  if (loaded.type === "refused") throw refusedStart(loaded);
  const rows = await listServers(context, loaded, packageOf("lsp", loaded, options.packageServers));
  if (json) printJson(context, { servers: rows });
  else if (rows.length === 0)
    context.print("There are no language servers: none is configured under lsp.servers, and no well-known one is on the PATH.\n");
  else {
    const table = rows.map((row) => [
      row.name,
      row.source ?? (row.isDetected ? "PATH" : "configuration"),
      row.languages.join(", "),
      stateOf(row),
      row.program ?? "",
    ]);
    context.print(terminalText(renderTable(["SERVER", "SOURCE", "LANGUAGES", "STATE", "PROGRAM"], table)));
  }
  return EXIT.ok;
}

async function listServers(
  context: CliContext,
  { config }: Pick<LoadedConfig, "config">,
  brought: (name: string) => string | undefined,
): Promise<readonly ServerRow[]> {
  const { lsp, agents, defaultAgentId } = config;
  const workspace = agents.find(({ id }) => id === defaultAgentId)?.workspace ?? context.paths.home;
  const places = { folder: lspFolder(context.paths), searchPath: context.env["PATH"] ?? "", workspace };
  const used = lspSettings(lsp);
  const problems = await problemsOf(context);
  return Object.entries(lspSettings({ ...lsp, detect: true })).flatMap(([name, settings]): readonly ServerRow[] => {
    const { program, operations } = lookUpServer(name, settings, { ...places, workspacePrograms: lsp.workspacePrograms });
    if (settings.isDetected && program === undefined) return [];
    const { languages, isDetected } = settings;
    const facts = { name, source: brought(name) ?? null, isDetected, languages, isUsed: used[name] !== undefined };
    return [{ ...facts, program: program ?? null, operations: operations ?? null, problem: problems.get(name) ?? null }];
  });
}

function stateOf({ isUsed, problem, operations }: ServerRow): string {
  if (!isUsed) return "installed; used with lsp.detect: true";
  if (problem !== null) return `! ${problem}`;
  return operations === null ? "not started yet" : operations.join(", ");
}

/** What a running gateway says of servers that cannot be used. */
async function problemsOf(context: CliContext): Promise<ReadonlyMap<string, string>> {
  using gateway = await findGateway(context);
  if (gateway === undefined) return new Map();
  const { warnings } = await gateway.client.request("warnings.list", {}, { signal: context.signal });
  return new Map(warnings.flatMap(({ id, text }) => (id.startsWith(PREFIX) ? [[id.slice(PREFIX.length), text] as const] : [])));
}
