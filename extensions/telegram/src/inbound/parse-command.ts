import type { HostCommand, NativeCommand } from "@factotum/channel-contract";
import type { Bot } from "../api/bot-identity.ts";
import type { TelegramEntity } from "./update-types.ts";

/** The menu's name of a command: the platform takes lower case letters, digits and `_`. */
export function menuName(name: string): string {
  return name.toLowerCase().replaceAll("-", "_");
}

/** A command at the beginning of a message. */
export interface ParsedCommand {
  readonly command: NativeCommand;
  /** True if the message is for this bot: the command has its name, or is one of its own. */
  readonly isAddressed: boolean;
}

/**
 * Parses a command; `undefined` for one that names another bot, and in a group, where other bots read along, for one that the gateway does not have and that
 * names no bot. `/start`, which the platform's clients send when a chat is opened, is the help.
 */
export function parseCommand(
  { text, entities }: { readonly text: string; readonly entities: readonly TelegramEntity[] },
  { bot, isDirect, commands }: { readonly bot: Bot; readonly isDirect: boolean; readonly commands: readonly HostCommand[] },
): ParsedCommand | undefined {
  const entity = entities.find(({ type, offset }) => type === "bot_command" && offset === 0);
  // The platform sees a command in the beginning of a longer word, such as a path.
  if (entity === undefined || /^\S/.test(text.slice(entity.length))) return undefined;
  const [typed = "", target] = text.slice(1, entity.length).split("@", 2);
  const isNamed = target?.toLowerCase() === bot.username.toLowerCase();
  if (target !== undefined && !isNamed) return undefined;
  const own = commands.find(({ name }) => menuName(name) === menuName(typed))?.name;
  const name = own ?? (typed === "start" ? "help" : typed);
  if (!isDirect && !isNamed && own === undefined) return undefined;
  const argumentsText = typed === "start" && own === undefined ? "" : text.slice(entity.length).trim();
  return { command: { name, argumentsText }, isAddressed: true };
}
