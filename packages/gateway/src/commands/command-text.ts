import type { MsgContext } from "@factotum/channel-contract";

/** The text that may be a command: a command that the platform recognised takes precedence over the text of its message; of a button it is the value. */
export function commandText({ event, command, text }: MsgContext): string {
  if (event.type === "action") return event.value ?? "";
  return command === undefined ? text : `/${command.name} ${command.argumentsText}`.trim();
}
