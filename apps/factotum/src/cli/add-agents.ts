import type { Command } from "commander";
import type * as AgentCommands from "../commands/agents.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json } from "./options.ts";

/** The configured agents: `factotum agents`. */
export function addAgents(program: Command, context: CliContext, finish: Finish): void {
  const agents = program.command("agents").description("the agents of the gateway, and which messages they answer");
  const load = async (): Promise<typeof AgentCommands> => import("../commands/agents.ts");
  agents
    .command("list")
    .description("list them with their models and workspaces")
    .addOption(json())
    .action(async (options: { json?: boolean }) => finish(await (await load()).agentsList(context, { json: options.json === true })));
  agents
    .command("bindings")
    .description("list the bindings that choose the agent of a message, strongest first")
    .addOption(json())
    .action(async (options: { json?: boolean }) => finish(await (await load()).agentsBindings(context, { json: options.json === true })));
}
