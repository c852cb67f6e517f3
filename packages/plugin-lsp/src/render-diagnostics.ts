import type { Diagnostic } from "vscode-languageserver-protocol";
import type { PositionEncoding, TextLines } from "./text-lines.ts";

const SEVERITIES = ["error", "warning", "information", "hint"];
const MAX_MESSAGE_CHARS = 300;

/** One line for each: `3:14 error: message [code]`. `max` at most, then how many are left out. */
export function renderDiagnostics(
  items: readonly Diagnostic[],
  { lines, encoding, max }: { readonly lines: TextLines; readonly encoding: PositionEncoding; readonly max: number },
): string {
  const shown = items.slice(0, max).map(({ range, severity, message, code }) => {
    const { line, character } = lines.fromServer(range.start, encoding);
    // Later revisions allow marked-up messages.
    const text = typeof message === "string" ? message : JSON.stringify(message);
    const words = text.replace(/\s+/g, " ").trim().slice(0, MAX_MESSAGE_CHARS).toWellFormed();
    const named = typeof code === "string" || typeof code === "number" ? ` [${code}]` : "";
    return `${line + 1}:${character + 1} ${SEVERITIES[(severity ?? 1) - 1] ?? "error"}: ${words}${named}`;
  });
  const left = items.length - shown.length;
  return [...shown, ...(left > 0 ? [`[${left} more are left out.]`] : [])].join("\n");
}
