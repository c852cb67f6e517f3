import type { ToolResultMessage } from "@factotum/agent-contract";
import { headOf, tailOf } from "../text/cut-text.ts";

const HEAD_SHARE = 0.7;
/** Characters at the end that are searched for signs that the end matters. */
const TAIL_CHARS = 2_000;
const MIDDLE_MARK = "\n[… middle left out …]\n";

/** Closing JSON, or words that announce errors and summaries. */
const TAIL_MATTERS =
  /[}\]]\s*$|\b(error|exception|traceback|fail(ed|ure|ures)?|fatal|panic(ked)?|denied|exit code|total|summary|passed|finished|completed?|conclusions?)\b|错误|失败|异常|总计|合计|总结|结论/i;

/**
 * Truncates a tool's text to `limit` characters, including a closing line that says how many were removed and how to request less. If the end matters (errors,
 * closing JSON, summaries) 70 % head and 30 % tail are kept, otherwise the head. Never splits a surrogate pair. A text within the limit is returned unchanged.
 * A limit too small for the closing line leaves only that line.
 */
export function truncateToolResult(text: string, limit: number): string {
  if (text.length <= limit) return text;
  const room = Math.max(0, limit - closingLine(text.length, text.length).length);
  const kept = TAIL_MATTERS.test(text.slice(-TAIL_CHARS)) ? headAndTail(text, room) : head(text, room);
  return `${kept.text}${closingLine(text.length - kept.chars, text.length)}`;
}

interface Kept {
  readonly text: string;
  /** Characters of the original. */
  readonly chars: number;
}

function head(text: string, room: number): Kept {
  const kept = headOf(text, room);
  return { text: kept, chars: kept.length };
}

function headAndTail(text: string, room: number): Kept {
  const share = room - MIDDLE_MARK.length;
  if (share <= 0) return head(text, room);
  const first = headOf(text, Math.floor(share * HEAD_SHARE));
  const last = tailOf(text, Math.floor(share * (1 - HEAD_SHARE)));
  return { text: `${first}${MIDDLE_MARK}${last}`, chars: first.length + last.length };
}

function closingLine(cut: number, total: number): string {
  const figures = `${cut.toLocaleString("en-US")} of ${total.toLocaleString("en-US")}`;
  return `\n[${figures} characters cut. Ask for less at a time: a narrower path, pattern or range.]`;
}

const CUT = /\n\[([\d,]+) of ([\d,]+) characters cut\. [^\n]*\]$/;

/** Parses the closing line of a truncated result; `undefined` for a text that was not truncated. */
export function readToolResultCut(text: string): { readonly keptChars: number; readonly totalChars: number } | undefined {
  const [, cut, total] = CUT.exec(text.slice(-300)) ?? [];
  if (cut === undefined || total === undefined) return undefined;
  const totalChars = Number(total.replaceAll(",", ""));
  return { keptChars: totalChars - Number(cut.replaceAll(",", "")), totalChars };
}

/** The same for a whole result: several texts that are too long together become one; images are kept. */
export function capContent(content: ToolResultMessage["content"], limit: number): ToolResultMessage["content"] {
  const texts = content.filter((part) => part.type === "text");
  const chars = texts.reduce((sum, { text }) => sum + text.length, 0);
  if (chars <= limit) return content;
  const text = truncateToolResult(texts.map((part) => part.text).join("\n"), limit);
  return [{ type: "text", text }, ...content.filter((part) => part.type === "image")];
}
