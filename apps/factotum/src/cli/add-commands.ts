import type { Command } from "commander";
import type * as ChatCommands from "../commands/chat-commands.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json } from "./options.ts";

/** Commands of a chat: `factotum commands`. */
export function addCommands(program: Command, context: CliContext, finish: Finish): void {
  const commands = program.command("commands").description("the slash commands of a chat: list them");
  const load = async (): Promise<typeof ChatCommands> => import("../commands/chat-commands.ts");
  commands
    .command("list")
    .description("list the slash commands that you can write to an agent, with its skills and own commands")
    .option("--session <key>", "a session of the agent")
    .option("--agent <id>", "the agent, if no session is named; the default one by default")
    .addOption(json())
    .action(async (options: { readonly session?: string; readonly agent?: string; readonly json?: boolean }) =>
      finish(await (await load()).commandsList(context, { ...options, json: options.json === true })),
    );
}
