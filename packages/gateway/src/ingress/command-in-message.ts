import type { InputRecord } from "@factotum/store";
import { commandText } from "../commands/command-text.ts";
import { parseCommand } from "../commands/parse-command.ts";
import type { TypedCommand } from "../commands/parse-command.ts";
import { sourceCommand } from "../commands/source-command.ts";
import { answeringCommand, parseUnknownCommand } from "../commands/unknown-command.ts";
import type { PromptCommandMessage } from "../commands/prompt-commands.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

/** The command in a message, including one that does not exist; `undefined` for an ordinary message. */
export function commandInMessage(
  said: Pick<InputRecord, "message" | "admission">,
  {
    expanded,
    resetTriggers,
    isRecovered,
  }: {
    readonly expanded: PromptCommandMessage | undefined;
    readonly resetTriggers: readonly string[];
    readonly isRecovered: boolean;
  },
): TypedCommand | undefined {
  if (expanded?.type === "answer") return answeringCommand(expanded.name, expanded.text);
  if (expanded?.type === "command") return sourceCommand(expanded, { isRecovered });
  if (expanded !== undefined || !RUN_POLICY[said.admission.kind].isFromPerson) return undefined;
  return parseCommand(commandText(said.message), resetTriggers) ?? parseUnknownCommand(said, resetTriggers);
}
