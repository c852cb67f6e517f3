import { advance, lastGraphemeBoundary, measure } from "../measure-text.ts";
import type { TextUnit } from "../measure-text.ts";
import { tableText } from "../markdown/table-text.ts";
import type { StyledBlock, StyledRun } from "./styled-block.ts";

/** The length of one text. */
interface Limit {
  readonly maxLength: number;
  readonly unit: TextUnit;
}

/** Length of a block's texts. */
export function sizeOfBlock(block: StyledBlock, unit: TextUnit): number {
  switch (block.type) {
    case "text":
      return sizeOfRuns(block.runs, unit);
    case "code":
      return measure(block.text, unit);
    case "rule":
      return 0;
    case "table":
      return block.rows.flat().reduce((size, cell) => size + sizeOfRuns(cell, unit), 0);
  }
}

/** Cuts a block that is longer than a message. */
export function splitBlock(block: StyledBlock, limit: Limit): StyledBlock[] {
  if (sizeOfBlock(block, limit.unit) <= limit.maxLength) return [block];
  switch (block.type) {
    case "rule":
      return [block];
    case "table": {
      const { quoted, item, rows, columns } = block;
      const texts = rows.map((row) => row.map((cell) => cell.map(({ text }) => text).join("")));
      return splitBlock({ type: "code", text: tableText(texts, columns), quoted, ...(item !== undefined && { item }) }, limit);
    }
    case "code":
      return continued(
        block,
        cutText(block.text, limit).map((text) => ({ ...block, text })),
      );
    case "text":
      return continued(
        block,
        cutRuns(block.runs, limit).map((runs) => ({ ...block, runs })),
      );
  }
}

/** The parts of a block; all but the first go on with its item. */
function continued({ item }: StyledBlock, parts: readonly StyledBlock[]): StyledBlock[] {
  return parts.map((part, index) => (index === 0 || item === undefined ? part : { ...part, item: { ...item, continued: true } }));
}

function sizeOfRuns(runs: readonly StyledRun[], unit: TextUnit): number {
  return runs.reduce((size, { text }) => size + measure(text, unit), 0);
}

function cutRuns(runs: readonly StyledRun[], { maxLength, unit }: Limit): StyledRun[][] {
  const parts: StyledRun[][] = [];
  let part: StyledRun[] = [];
  let room = maxLength;
  for (const run of runs) {
    let { text } = run;
    while (isLonger(text, { maxLength: room, unit })) {
      const end = room > 0 ? cutAt(text, { maxLength: room, unit }, part.length > 0) : 0;
      const beginning = text.slice(0, end).trimEnd();
      if (beginning !== "") part.push({ ...run, text: beginning });
      if (part.length > 0) parts.push(part);
      part = [];
      room = maxLength;
      text = text.slice(end).trimStart();
    }
    if (text === "") continue;
    part.push({ ...run, text });
    room -= measure(text, unit);
  }
  if (part.length > 0) parts.push(part);
  return parts;
}

function cutText(text: string, limit: Limit): string[] {
  const parts: string[] = [];
  let rest = text;
  while (isLonger(rest, limit)) {
    const end = cutAt(rest, limit, false);
    parts.push(rest.slice(0, end).trimEnd());
    // White space at the start of a line belongs to the code.
    rest = rest.slice(end).replace(/^\n+/, "");
  }
  return [...parts, rest].filter((part) => part.trim() !== "");
}

/** Looks at no more of the text than fits. */
function isLonger(text: string, { maxLength, unit }: Limit): boolean {
  return advance(text, 0, { room: maxLength, newlines: Number.POSITIVE_INFINITY, unit }) < text.length;
}

/** Where to end: at a line or a word in the second half, else between two graphemes; 0 only if `mayBeEmpty`. */
function cutAt(text: string, { maxLength, unit }: Limit, mayBeEmpty: boolean): number {
  const end = advance(text, 0, { room: maxLength, newlines: Number.POSITIVE_INFINITY, unit });
  const window = text.slice(0, end + 1);
  const line = window.lastIndexOf("\n");
  if (line > end / 2) return line;
  const space = /^[^]*\s/.exec(window)?.[0].length ?? 0;
  if (space > 0 && (space > end / 2 || mayBeEmpty)) return Math.min(space, end);
  return mayBeEmpty ? 0 : lastGraphemeBoundary(text, { after: 0, until: end });
}
