import type { MsgContext } from "@factotum/channel-contract";
import { commandText } from "./command-text.ts";
import { focusCommand, unfocusCommand } from "./focus.ts";
import { parseCommand } from "./parse-command.ts";

/** True for a message that is a command which changes where the conversation goes. */
export function isFocusChange(message: MsgContext): boolean {
  const command = parseCommand(commandText(message), []);
  if (command?.type !== "command" || !command.changesConversation) return false;
  return command.name === focusCommand.name || command.name === unfocusCommand.name;
}
