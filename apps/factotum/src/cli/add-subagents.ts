import type { Command } from "commander";
import type * as SubagentCommands from "../commands/subagents.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json } from "./options.ts";

/** The sub-agents of all conversations: `factotum subagents`. */
export function addSubagents(program: Command, context: CliContext, finish: Finish): void {
  const subagents = program.command("subagents").description("the sub-agents of all conversations: list, steer and end them");
  const load = async (): Promise<typeof SubagentCommands> => import("../commands/subagents.ts");
  subagents
    .command("list")
    .description("list those that are open, and the newest that have ended")
    .addOption(json())
    .action(async (options: { json?: boolean }) => finish(await (await load()).subagentsList(context, { json: options.json === true })));
  subagents
    .command("steer")
    .description("tell a sub-agent something")
    .argument("<session>", "its session, as list shows it")
    .argument("<text...>", "what it should do differently")
    .addOption(json())
    .action(async (sessionKey: string, words: string[], options: { json?: boolean }) =>
      finish(await (await load()).subagentsSteer(context, { sessionKey, text: words.join(" "), json: options.json === true })),
    );
  subagents
    .command("kill")
    .description("end a sub-agent with all below it; its parent gets what it has said")
    .argument("<session>", "its session, as list shows it")
    .addOption(json())
    .action(async (sessionKey: string, options: { json?: boolean }) =>
      finish(await (await load()).subagentsKill(context, { sessionKey, json: options.json === true })),
    );
}
