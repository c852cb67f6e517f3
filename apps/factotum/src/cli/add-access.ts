import { type Command, Option } from "commander";
import type { DmPolicy, GroupPolicy } from "@factotum/protocol";
import type * as AccessCommands from "../commands/access.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json } from "./options.ts";

interface EntryOptions {
  readonly owner?: boolean;
  readonly group?: boolean;
  readonly json?: boolean;
}

const load = async (): Promise<typeof AccessCommands> => import("../commands/access.ts");

/** Access control: `factotum access`. */
export function addAccess(program: Command, context: CliContext, finish: Finish): void {
  const access = program.command("access").description("who may talk to the assistant: list, allow, remove, policy");
  const entries = [
    ["allow", "admit somebody whose message was refused; the log and the status name the command", "accessAllow"],
    ["remove", "take the entry of a person or a group back", "accessRemove"],
  ] as const;
  for (const [name, description, run] of entries) {
    access
      .command(name)
      .description(description)
      .argument("<account>", "channel:account, such as feishu:default")
      .argument("<id>", "the platform's own id")
      .option("--owner", "as the owner, whose words run commands")
      .option("--group", "the id is a group's")
      .addOption(json())
      .action(async (account: string, id: string, { owner, group, json: asJson }: EntryOptions) => {
        finish(await (await load())[run](context, { account, id, owner: owner === true, group: group === true, json: asJson === true }));
      });
  }
  access
    .command("list")
    .description("show who may write to an account, by the configuration")
    .argument("<account>", "a channel, or channel:account")
    .addOption(json())
    .action(async (account: string, options: { json?: boolean }) =>
      finish(await (await load()).accessList(context, account, { json: options.json === true })),
    );
  access
    .command("policy")
    .description("set who may write to an account at all")
    .argument("<account>", "a channel, or channel:account")
    .addOption(new Option("--direct <policy>", "direct messages").choices(["pairing", "allowlist", "open", "disabled"]))
    .addOption(new Option("--groups <policy>", "groups").choices(["allowlist", "open", "disabled"]))
    .addOption(json())
    .action(async (account: string, options: { direct?: DmPolicy; groups?: GroupPolicy; json?: boolean }) =>
      finish(await (await load()).accessPolicy(context, account, { ...options, json: options.json === true })),
    );
}
