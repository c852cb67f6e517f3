import { plural } from "@factotum/agent-contract";
import { Buffer } from "node:buffer";

/** A file is held in memory while it is edited, so its size is bounded. */
export const MAX_EDIT_BYTES: number = 8 * 1024 * 1024;

/** One exact replacement. */
export interface Edit {
  readonly oldText: string;
  readonly newText: string;
  /** All matches instead of the only one. */
  readonly replaceAll?: boolean | undefined;
}

/** All edits or none. */
export type EditOutcome =
  | { readonly type: "edited"; readonly text: string; readonly replacements: number }
  /** `index` counts the edits from 0; the message is for the model. */
  | { readonly type: "refused"; readonly index: number; readonly message: string };

const MAX_NEAR_MISSES = 3;
const MAX_SHOWN_CHARS = 500;

/**
 * Applies the edits in order, each to the result of the previous one. `oldText` must match exactly, once, or at least once with `replaceAll`. In a text whose
 * lines all end in CRLF, the edits' own line ends are converted to CRLF. No edit may exceed `MAX_EDIT_BYTES`. Pure.
 */
export function applyEdits(original: string, edits: readonly Edit[]): EditOutcome {
  const toFileEnds = endsInCrlf(original) ? (text: string): string => text.replace(/\r?\n/g, "\r\n") : (text: string): string => text;
  let text = original;
  let bytes = Buffer.byteLength(text);
  let replacements = 0;
  for (const [index, edit] of edits.entries()) {
    const oldText = toFileEnds(edit.oldText);
    const newText = toFileEnds(edit.newText);
    const refuse = (message: string): EditOutcome => ({ type: "refused", index, message });
    if (oldText === newText) return refuse("oldText and newText are the same.");
    const parts = text.split(oldText);
    const count = parts.length - 1;
    if (count === 0) return refuse(`oldText was not found (0 matches).${nearMisses(text, oldText)}`);
    if (count > 1 && edit.replaceAll !== true) {
      return refuse(
        `oldText was found ${count} times (lines ${matchLines(parts, oldText).join(", ")}); add lines around it, or set replaceAll.`,
      );
    }
    bytes += count * (Buffer.byteLength(newText) - Buffer.byteLength(oldText));
    // Before it is built: a few short edits can request any size.
    if (bytes > MAX_EDIT_BYTES) return refuse(`The file would have ${plural(bytes, "byte")}; at most ${MAX_EDIT_BYTES}.`);
    text = parts.join(newText);
    replacements += count;
  }
  return { type: "edited", text, replacements };
}

/** True if all lines of a text, and at least one, end in CRLF. */
export function endsInCrlf(text: string): boolean {
  return text.includes("\r\n") && !/(^|[^\r])\n/.test(text);
}

function matchLines(parts: readonly string[], oldText: string): string[] {
  const lines: string[] = [];
  let line = 1;
  for (const part of parts.slice(0, -1)) {
    line += countNewlines(part);
    lines.push(String(line));
    line += countNewlines(oldText);
  }
  return lines.length > 10 ? [...lines.slice(0, 10), "…"] : lines;
}

function countNewlines(text: string): number {
  return text.split("\n").length - 1;
}

/** The place where the text differs in white space only, or at least starts in the same way. */
function nearMisses(text: string, oldText: string): string {
  const lines = text.split("\n").map((line) => line.replace(/\r$/, ""));
  const plain = lines.map(collapse);
  const wanted = oldText.trim().split("\n").map(collapse);
  const first = wanted[0] ?? "";
  if (first === "") return " Read the file again and copy the text exactly.";
  const starts = plain.flatMap((line, index) => (line === first ? [index] : []));
  const whole = starts.find((start) => wanted.every((line, offset) => plain[start + offset] === line));
  if (whole !== undefined) {
    const found = lines.slice(whole, whole + wanted.length).join("\n");
    return ` Line ${whole + 1} differs in white space only; there it is:\n${found.slice(0, MAX_SHOWN_CHARS)}`;
  }
  const similar = starts.length > 0 ? starts : plain.flatMap((line, index) => (line.includes(first) ? [index] : []));
  if (similar.length === 0) return " Read the file again and copy the text exactly.";
  const shown = similar
    .slice(0, MAX_NEAR_MISSES)
    .map((index) => `${index + 1}: ${(lines[index] ?? "").slice(0, MAX_SHOWN_CHARS / MAX_NEAR_MISSES)}`);
  return ` Its first line stands at:\n${shown.join("\n")}\nbut what follows differs.`;
}

function collapse(line: string): string {
  return line.replace(/\s+/g, " ").trim();
}
