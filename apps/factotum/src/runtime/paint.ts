import { styleText } from "node:util";
import type { CliContext } from "./cli-context.ts";

/** What words are, rather than how they look. */
const STYLES = { heading: "bold", error: "red", faint: "dim" } as const;

/** Colours words for a person's terminal; elsewhere, and with `NO_COLOR`, they stay as they are. */
export function paint(context: Pick<CliContext, "hasColour">, style: keyof typeof STYLES, text: string): string {
  return context.hasColour === true ? styleText(STYLES[style], text, { validateStream: false }) : text;
}
