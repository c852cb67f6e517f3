import type { Command } from "commander";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json } from "./options.ts";

/** Access control: `factotum access`. */
export function addAccess(program: Command, context: CliContext, finish: Finish): void {
  program
    .command("access")
    .description("who may talk to the assistant: allow")
    .command("allow")
    .description("admit somebody whose message was refused; the log and the status name the command")
    .argument("<account>", "channel:account, such as feishu:default")
    .argument("<id>", "the platform's own id")
    .option("--owner", "as the owner, whose words run commands")
    .option("--group", "the id is a group's")
    .addOption(json())
    .action(async (account: string, id: string, options: { owner?: boolean; group?: boolean; json?: boolean }) => {
      const { accessAllow } = await import("../commands/access.ts");
      const { owner, group, json: asJson } = options;
      finish(await accessAllow(context, { account, id, owner: owner === true, group: group === true, json: asJson === true }));
    });
}
