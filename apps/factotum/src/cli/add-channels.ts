import type { Command } from "commander";
import type * as ChannelCommands from "../commands/channels.ts";
import type { CliContext, Finish } from "../runtime/cli-context.ts";
import { json } from "./options.ts";

interface AddOptions {
  readonly account?: string;
  readonly set: string[];
  readonly yes?: boolean;
  readonly json?: boolean;
}

const load = async (): Promise<typeof ChannelCommands> => import("../commands/channels.ts");
const collect = (value: string, values: string[]): string[] => [...values, value];

/** Channels and their accounts: `factotum channels`. */
export function addChannels(program: Command, context: CliContext, finish: Finish): void {
  const channels = program.command("channels").description("set up, check and remove accounts of chat platforms");
  channels
    .command("add")
    .description("set up an account: asks for its settings, and installs the channel's package if the release lists it")
    .argument("<channel>", "such as feishu")
    .option("--account <name>", "the account's name, if there are several")
    .option("--set <key=value>", "a setting; key=- reads it from standard input", collect, [])
    .option("--yes", "confirm the permissions of a package that is installed")
    .addOption(json())
    .action(async (id: string, options: AddOptions) => {
      const { channelsAdd } = await import("../commands/channels-add.ts");
      finish(await channelsAdd(context, id, { ...options, yes: options.yes === true, json: options.json === true }));
    });
  const whole = [
    ["list", "list the channels with their packages and accounts", "channelsList"],
    ["status", "show the state of every account in the running gateway", "channelsStatus"],
  ] as const;
  for (const [name, description, run] of whole) {
    channels
      .command(name)
      .description(description)
      .addOption(json())
      .action(async (options: { json?: boolean }) => finish(await (await load())[run](context, { json: options.json === true })));
  }
  channels
    .command("test")
    .description("send a test message, and show what the platform says")
    .argument("<account>", "a channel, or channel:account")
    .option("--to <id>", "a person or a conversation; the owner by default")
    .option("--text <text>", "what is sent")
    .addOption(json())
    .action(async (account: string, options: { to?: string; text?: string; json?: boolean }) => {
      const { channelsTest } = await import("../commands/channels-test.ts");
      finish(await channelsTest(context, account, { ...options, json: options.json === true }));
    });
  channels
    .command("restart")
    .description("start an account of the running gateway again")
    .argument("<account>", "a channel, or channel:account")
    .addOption(json())
    .action(async (account: string, options: { json?: boolean }) => {
      const { channelsRestart } = await import("../commands/channels-test.ts");
      finish(await channelsRestart(context, account, { json: options.json === true }));
    });
  const single = [
    ["remove", "remove an account from the configuration, with the files of its secrets", "channelsRemove"],
    ["probe", "check the credential and the permissions of an account", "channelsProbe"],
    ["login", "log an account in, for channels that need it", "channelsLogin"],
    ["capabilities", "show what a channel can do", "channelsCapabilities"],
  ] as const;
  for (const [name, description, run] of single) {
    channels
      .command(name)
      .description(description)
      .argument("<account>", "a channel, or channel:account")
      .addOption(json())
      .action(async (account: string, options: { json?: boolean }) =>
        finish(await (await load())[run](context, account, { json: options.json === true })),
      );
  }
}
