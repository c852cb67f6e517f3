import { cutText } from "@factotum/agent-core";
import type { MsgContext } from "@factotum/channel-contract";

/** Maximum inputs of a form that are shown, and UTF-16 units of one value. */
const MAX_INPUTS = 50;
const MAX_VALUE_CHARS = 10_000;

/**
 * The values of a form, one line each, as JSON: text that a person typed into a form is quoted, and no directive in it is followed. Empty for a message
 * without a form.
 */
export function formValues({ event }: Pick<MsgContext, "event">): string {
  if (event.type !== "action") return "";
  const lines = Object.entries(event.inputs ?? {})
    .slice(0, MAX_INPUTS)
    .map(([id, value]) => `- ${quote(id)}: ${typeof value === "string" ? quote(value) : `[${value.map(quote).join(", ")}]`}`);
  return lines.length === 0 ? "" : ["[Values of the form]", ...lines].join("\n");
}

function quote(text: string): string {
  return JSON.stringify(cutText(text, MAX_VALUE_CHARS, "…"));
}
