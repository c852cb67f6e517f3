import type { Command } from "commander";
import type * as AgentCommands from "../commands/agents.ts";
import type * as AgentChanges from "../commands/agents-change.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json, place } from "./options.ts";

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
  const change = async (): Promise<typeof AgentChanges> => import("../commands/agents-change.ts");
  agents
    .command("add")
    .description("add an agent, with a workspace of its own")
    .argument("<id>", "short name in keys and commands, in lower case")
    .option("--name <name>", "name that it goes by")
    .option("--model <reference>", "model of its own, as provider/model")
    .option("--workspace <folder>", "folder of its files")
    .addOption(json())
    .action(async (id: string, options: Partial<AgentChanges.AgentAddOptions>) =>
      finish(await (await change()).agentsAdd(context, id, { ...options, json: options.json === true })),
    );
  agents
    .command("set")
    .description("change an agent: its name, its model, or that it is the default one")
    .argument("<id>", "agent")
    .option("--name <name>", "name that it goes by; empty for none")
    .option("--model <reference>", "model of its own, as provider/model; empty for that of all agents")
    .option("--default", "it answers what no binding gives to another agent")
    .addOption(json())
    .action(async (id: string, options: Partial<AgentChanges.AgentSetOptions>) =>
      finish(await (await change()).agentsSet(context, id, { ...options, json: options.json === true })),
    );
  agents
    .command("unbind")
    .description("remove a binding")
    .argument("<index>", "its place, as bindings lists it: 0 for bindings[0]", place)
    .addOption(json())
    .action(async (index: number, options: { json?: boolean }) =>
      finish(await (await change()).agentsUnbind(context, index, { json: options.json === true })),
    );
  agents
    .command("remove")
    .description("remove an agent and its bindings; its files and conversations stay")
    .argument("<id>", "agent")
    .addOption(json())
    .action(async (id: string, options: { json?: boolean }) =>
      finish(await (await change()).agentsRemove(context, id, { json: options.json === true })),
    );
  agents
    .command("bind")
    .description("give messages to an agent; everything that is given must match")
    .argument("<id>", "agent")
    .requiredOption("--channel <channel>", "channel of the messages")
    .option("--account <account>", "account of the channel, * for every one; by default the account default")
    .option("--peer <kind:id>", "one conversation, such as group:-100123, direct:7 or group:*")
    .option("--guild <id>", "server, on platforms that have servers")
    .option("--role <id>", "role on that server (repeatable)", (role: string, before: readonly string[]) => [...before, role], [])
    .option("--team <id>", "team, on platforms that have teams")
    .addOption(json())
    .action(async (id: string, options: Omit<AgentChanges.AgentBindOptions, "json"> & { json?: boolean }) =>
      finish(await (await change()).agentsBind(context, id, { ...options, json: options.json === true })),
    );
}
