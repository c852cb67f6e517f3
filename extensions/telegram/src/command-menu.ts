import type { CallOptions, ChannelHost, HostCommand } from "@factotum/channel-contract";
import { createCommandRegistrar } from "@factotum/channel-kit";
import type { CommandRegistrar } from "@factotum/channel-kit";
import * as z from "zod";
import type { TelegramApi } from "./api/telegram-api.ts";
import { menuName } from "./inbound/parse-command.ts";

const MAX_COMMANDS = 100;
const MAX_DESCRIPTION = 256;
/** Groups get a menu of their own, so that one that another program has set there does not hide this one. */
const SCOPES = ["default", "all_group_chats"] as const;

const CommandsSchema = z.array(z.looseObject({ command: z.string(), description: z.string() }));

/** Keeps the bot's menu equal to the gateway's commands. */
export function createCommandMenu(api: TelegramApi, host: ChannelHost): CommandRegistrar {
  const commands: ChannelHost["commands"] = {
    list: () => host.commands.list().map(({ name, summary }) => ({ name: menuName(name), summary: summary.trim() || name })),
    onChange: (callback) => host.commands.onChange(callback),
  };
  const { clock, logger, random } = host;
  return createCommandRegistrar(
    { clock, logger, random, commands },
    {
      maxCommands: MAX_COMMANDS,
      name: /^[a-z\d_]{1,32}$/,
      summaryLength: MAX_DESCRIPTION,
      async read(options) {
        const [first, ...others] = await Promise.all(SCOPES.map(async (type) => read(api, type, options)));
        // Menus that differ are written again.
        return first !== undefined && others.every((menu) => JSON.stringify(menu) === JSON.stringify(first)) ? first : [];
      },
      async write(menu, options) {
        const wanted = menu.map(({ name: command, summary: description }) => ({ command, description }));
        // The default last: it is the one that is read first.
        for (const type of SCOPES.toReversed()) await api.call("setMyCommands", { commands: wanted, scope: { type } }, options);
      },
    },
  );
}

async function read(api: TelegramApi, type: string, options: CallOptions): Promise<readonly HostCommand[]> {
  const commands = CommandsSchema.parse(await api.call("getMyCommands", { scope: { type } }, options));
  return commands.map(({ command: name, description: summary }) => ({ name, summary }));
}
