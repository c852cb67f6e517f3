import { measure } from "./measure-text.ts";
import type { TextUnit } from "./measure-text.ts";

/** An open code block: the line that opened it, and one that closes it. */
interface Fence {
  readonly opener: string;
  readonly closer: string;
}

/** One line of the source with its line end. `fence` is the block that the line belongs to. */
export interface SourceLine {
  readonly start: number;
  readonly end: number;
  readonly kind: "text" | "open" | "body" | "close";
  readonly blank: boolean;
  readonly fence?: OpenFence;
}

const FENCE = /^((?:[^\S\n]|>)*)(`{3,}|~{3,})([^\n]*)$/;

/** Additional facts: what closes the block. */
export interface OpenFence extends Fence {
  readonly marker: string;
  readonly quoted: boolean;
}

/** `open` and `continues` describe a source that is the rest of another: inside a code block, within a line. */
interface ScanOptions {
  readonly maxFenceLength: number;
  readonly unit: TextUnit;
  readonly open?: OpenFence | undefined;
  readonly continues?: boolean;
}

/**
 * Splits a text into lines and marks code blocks: opened by three or more backticks or tildes at any indent or inside a quote, closed by at least as many of
 * the same, by the end of the quote, or by the end of the text. A fence line longer than `maxFenceLength` counts as text, so that there is always room for
 * content.
 */
export function scanFences(source: string, options: ScanOptions): SourceLine[] {
  const lines: SourceLine[] = [];
  let open = options.open;
  for (let start = 0; start < source.length;) {
    const newline = source.indexOf("\n", start);
    const end = newline === -1 ? source.length : newline + 1;
    const text = source.slice(start, newline === -1 ? end : newline);
    if (start === 0 && options.continues === true) {
      lines.push(open === undefined ? { start, end, blank: false, kind: "text" } : { start, end, blank: false, kind: "body", fence: open });
      start = end;
      continue;
    }
    const match = fenceOf(text.trimEnd(), options);
    const place = { start, end, blank: text.trim() === "" };
    if (open?.quoted && !/^[^\S\n]*>/.test(text)) open = undefined;
    if (open === undefined) {
      open = opened(text, match);
      lines.push(open === undefined ? { ...place, kind: "text" } : { ...place, kind: "open", fence: open });
    } else if (closes(open, match)) {
      lines.push({ ...place, kind: "close", fence: open });
      open = undefined;
    } else {
      lines.push({ ...place, kind: "body", fence: open });
    }
    start = end;
  }
  return lines;
}

function fenceOf(line: string, options: { readonly maxFenceLength: number; readonly unit: TextUnit }): RegExpExecArray | null {
  if (line.length > options.maxFenceLength || measure(line, options.unit) > options.maxFenceLength) return null;
  return FENCE.exec(line);
}

function opened(line: string, match: RegExpExecArray | null): OpenFence | undefined {
  const [, lead = "", marker = "", info = ""] = match ?? [];
  // Backticks in the info string make it inline code.
  if (marker === "" || (marker.startsWith("`") && info.includes("`"))) return undefined;
  return { opener: line.trimEnd(), closer: `${lead}${marker}`, marker, quoted: lead.includes(">") };
}

function closes(open: OpenFence, match: RegExpExecArray | null): boolean {
  const [, , marker = "", info = ""] = match ?? [];
  return marker !== "" && info.trim() === "" && marker.startsWith(open.marker.charAt(0)) && marker.length >= open.marker.length;
}
