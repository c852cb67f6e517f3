import type { MsgContext } from "@factotum/channel-contract";
import type { FactotumConfig } from "@factotum/config";
import type { InputRecord } from "@factotum/store";
import type { PromptCommandMessage } from "../commands/prompt-commands.ts";
import { mayElevate } from "../conversation/elevation.ts";
import { parseInlineDirectives } from "../queue/inline-directives.ts";
import type { InlineDirectives } from "../queue/inline-directives.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { formValues } from "./form-values.ts";

/** The words of an input for the model, and its inline directives. */
interface ReadWords {
  readonly text: string;
  readonly directives: Omit<InlineDirectives, "text">;
}

/**
 * Reads the words of an input. The words of a button are not those of the person who presses it; neither the output of a command nor another agent gives
 * directives.
 */
export function readWords(input: InputRecord, expanded: PromptCommandMessage | undefined, config: FactotumConfig): ReadWords {
  const { message, admission } = input;
  const isVerbatim = message.event.type === "action" || !RUN_POLICY[admission.kind].isFromPerson;
  const said = textOf(message);
  const { text: words, ...directives } = isVerbatim
    ? { text: said }
    : parseInlineDirectives(said, { mayElevate: mayElevate([input], config) });
  const text = [expanded?.type === "message" ? expanded.text : words, formValues(message)].filter((part) => part !== "").join("\n");
  return { text, directives };
}

/** The text for the model: of a press, the label of the button, or its value. */
function textOf({ event, text }: MsgContext): string {
  if (event.type !== "action") return text;
  return `[Pressed the button: ${text.trim() === "" ? (event.value ?? event.actionId) : text}]`;
}
