import type { MsgContext, NativeCommand } from "@factotum/channel-contract";

/** The text that may be a command: a command that the platform recognised takes precedence over the text of its message; of a button it is the value. */
export function commandText({ event, command, text }: MsgContext): string {
  if (event.type === "action") return event.value ?? "";
  return command === undefined ? text : `/${command.name} ${argumentsOf(command)}`.trim();
}

/** The gateway's commands take text: the values of parsed options are joined in their order. */
function argumentsOf({ argumentsText, options = {} }: NativeCommand): string {
  return argumentsText.trim() === "" ? Object.values(options).join(" ") : argumentsText;
}
