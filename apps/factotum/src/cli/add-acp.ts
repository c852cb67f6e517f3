import type { Command } from "commander";
import type { CliContext, Finish } from "../runtime/cli-context.ts";

/** The agent of editors: `factotum acp`. */
export function addAcp(program: Command, context: CliContext, finish: Finish): void {
  program
    .command("acp")
    .description("serve an editor that starts this command: the assistant as its agent, over the Agent Client Protocol")
    .option("--agent <id>", "the agent of new conversations; the default one if omitted")
    .action(async ({ agent }: { readonly agent?: string }) => {
      const { acp } = await import("../commands/acp.ts");
      finish(await acp(context, { agentId: agent }));
    });
}
