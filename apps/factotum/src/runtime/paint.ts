import { styleText } from "node:util";
import type { CliContext } from "./cli-context.ts";

/** Styles by meaning rather than appearance. */
const STYLES = { heading: "bold", error: "red", faint: "dim" } as const;

/** Styles text for a person's terminal; elsewhere, and with `NO_COLOR`, it is unchanged. */
export function paint(context: Pick<CliContext, "hasColour">, style: keyof typeof STYLES, text: string): string {
  return context.hasColour === true ? styleText(STYLES[style], text, { validateStream: false }) : text;
}
