import type { Command } from "commander";
import type * as LspCommands from "../commands/lsp.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json } from "./options.ts";

/** Language servers: `factotum lsp`. */
export function addLsp(program: Command, context: CliContext, finish: Finish): void {
  const lsp = program.command("lsp").description("list and test language servers, which check what the assistant writes");
  const load = async (): Promise<typeof LspCommands> => import("../commands/lsp.ts");
  const format = (options: { json?: boolean }): { json: boolean } => ({ json: options.json === true });
  lsp
    .command("list")
    .description("list the servers, those that are installed but not used, and why any cannot be used")
    .addOption(json())
    .action(async (options: { json?: boolean }) => finish(await (await load()).lspList(context, format(options))));
  lsp
    .command("test")
    .description("start a server in the workspace, list its tools, and end it")
    .argument("<name>")
    .addOption(json())
    .action(async (name: string, options: { json?: boolean }) => finish(await (await load()).lspTest(context, name, format(options))));
}
