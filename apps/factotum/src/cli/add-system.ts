import { Option, type Command } from "commander";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json } from "./options.ts";

/** What has happened outside of the conversation: `factotum system`. */
export function addSystem(program: Command, context: CliContext, finish: Finish): void {
  const system = program.command("system").description("tell the assistant what has happened outside of its conversations");
  system
    .command("event")
    .description("show a text to the next turn of a session, once, whatever begins that turn")
    .requiredOption("--text <text>", "what has happened, at most 1,000 characters")
    .option("--agent <id>", "the agent; the default agent if omitted")
    .option(
      "--session <key>",
      "the session; that of the agent's heartbeat by default, which is its main session unless it has one of its own",
    )
    .addOption(new Option("--mode <when>", "now wakes the heartbeat at once").choices(["now", "next-heartbeat"]).default("next-heartbeat"))
    .addOption(json())
    .action(async (options: { text: string; agent?: string; session?: string; mode: "now" | "next-heartbeat"; json?: boolean }) => {
      const { systemEvent } = await import("../commands/system.ts");
      finish(await systemEvent(context, { ...options, json: options.json === true }));
    });
}
