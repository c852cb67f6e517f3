import type { Command } from "commander";
import type * as ToolCommands from "../commands/tools.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json } from "./options.ts";

interface Options {
  readonly session?: string;
  readonly agent?: string;
  readonly sender?: string;
  readonly json?: boolean;
}

/** The tool policy: `factotum tools`. */
export function addTools(program: Command, context: CliContext, finish: Finish): void {
  const tools = program.command("tools").description("the tools of a session: list them, explain the rule that decides about one");
  const load = async (): Promise<typeof ToolCommands> => import("../commands/tools.ts");
  const withRun = (command: Command): Command =>
    command
      .option("--session <key>", "the session; the agent's main session by default")
      .option("--agent <id>", "the agent, if no session is named; the default one by default")
      .option("--sender <id>", "who writes, by their id on the session's channel; the owner by default")
      .addOption(json());
  withRun(tools.command("list").description("list the tools that a run in a session has, and why it has no others")).action(
    async (options: Options) => finish(await (await load()).toolsList(context, { ...options, json: options.json === true })),
  );
  withRun(
    tools
      .command("explain")
      .description("say what every rule decides about a tool in a session")
      .argument("<tool>", "the name of the tool"),
  ).action(async (tool: string, options: Options) =>
    finish(await (await load()).toolsExplain(context, { ...options, tool, json: options.json === true })),
  );
}
