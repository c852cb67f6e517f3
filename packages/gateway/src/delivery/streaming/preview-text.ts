import type { ToolCall } from "@factotum/agent-contract";
import { cutText } from "@factotum/agent-core";
import { chunkMarkdown } from "@factotum/channel-kit";
import type { ChunkLimits } from "@factotum/channel-kit";

/** How a growing answer is shown: as text, line by line, or by its tool calls. */
export type PreviewMode = "partial" | "block" | "progress";

/** A message's text, and how many characters of the answer it shows. */
export interface PreviewText {
  readonly text: string;
  readonly end: number;
}

/** Minimum characters of a block. */
const LEAST_BLOCK_CHARS = 200;
const MAX_TOOL_LINES = 8;
const MAX_LINE_CHARS = 120;

/** The text of a preview for an answer so far; `undefined` if there is nothing to show. Longer texts are truncated at the end. */
export function previewText(
  visible: string,
  options: { readonly mode: PreviewMode; readonly limits: ChunkLimits },
): PreviewText | undefined {
  const upTo = options.mode === "block" ? visible.lastIndexOf("\n") : visible.length;
  if (upTo <= 0 || (options.mode === "block" && upTo < LEAST_BLOCK_CHARS)) return undefined;
  const [first] = chunkMarkdown(visible.slice(0, upTo), options.limits);
  return first === undefined ? undefined : { text: first.text, end: first.end };
}

/** The line of a running tool. */
export function progressLine({ name, arguments: given }: ToolCall): string {
  const shown = Object.values(given).find((value) => typeof value === "string" && value.trim() !== "");
  const words = typeof shown === "string" ? `${name}: ${shown.replaceAll(/\s+/g, " ").trim()}` : name;
  return `• ${cutText(words.replaceAll("`", "'"), MAX_LINE_CHARS, "…")}`;
}

/** The text of a preview that shows tool calls: the newest of them. */
export function progressText(lines: readonly string[]): string {
  const left = lines.length - MAX_TOOL_LINES;
  return [...(left > 0 ? [`… ${left} more`] : []), ...lines.slice(-MAX_TOOL_LINES)].join("\n");
}
