import { lastGraphemeBoundary } from "../measure-text.ts";
import { scanFences } from "../scan-fences.ts";
import type { SourceLine } from "../scan-fences.ts";

/** A part of a source that is parsed alone, as offsets. */
export interface Segment {
  readonly start: number;
  readonly end: number;
}

/** Up to this length a source is parsed in one piece. */
const SHORT = 8_000;
/** From this length on a segment ends at the next block. */
const LEAST = 4_000;
/** A segment that finds no block to end at ends at the next line. */
const MOST = 8_000;
/** The same for a segment with many brackets, each of which makes the parser look back through its paragraph. */
const MOST_WITH_BRACKETS = 4_000;
const MANY_BRACKETS = 1_000;

const DEFINITION = /^ {0,3}\[[^\]^\n][^\]\n]*\]:[ \t]*\S[^\n]*$/gm;
/** Definitions are repeated in each segment, so their total length is limited. */
const MAX_DEFINITIONS = 4_000;

/**
 * Cuts a long source so that each part can be parsed alone: before a line that begins a block at the margin, never inside a code block. `definitions` is to be
 * appended to a part, so that its links by reference are recognised.
 */
export function splitSource(source: string): { readonly segments: readonly Segment[]; readonly definitions: string } {
  if (source.length <= SHORT && !hasManyBrackets(source)) return { segments: [{ start: 0, end: source.length }], definitions: "" };
  const lines = scanFences(source, { maxFenceLength: Number.POSITIVE_INFINITY, unit: "utf16" });
  const segments = splitAtBlocks(lines, source).flatMap((segment) => splitAtLines(segment, lines, source));
  if (segments.length === 1) return { segments, definitions: "" };
  const definitions = Array.from(source.matchAll(DEFINITION), ([line]) => line).join("\n");
  return { segments, definitions: definitions === "" || definitions.length > MAX_DEFINITIONS ? "" : `\n\n${definitions}` };
}

function splitAtBlocks(lines: readonly SourceLine[], source: string): Segment[] {
  const segments: Segment[] = [];
  let start = 0;
  for (const [index, line] of lines.entries()) {
    const beginsBlock =
      lines[index - 1]?.blank === true && line.kind !== "body" && line.kind !== "close" && /\S/.test(source.charAt(line.start));
    if (!beginsBlock || line.start - start < LEAST) continue;
    segments.push({ start, end: line.start });
    start = line.start;
  }
  return [...segments, { start, end: source.length }];
}

/** Cuts a segment that is too long for the parser. A code block counts nothing: its content is not parsed. */
function splitAtLines(segment: Segment, lines: readonly SourceLine[], source: string): Segment[] {
  const most = hasManyBrackets(source.slice(segment.start, segment.end)) ? MOST_WITH_BRACKETS : MOST;
  if (segment.end - segment.start <= most) return [segment];
  const segments: Segment[] = [];
  let { start } = segment;
  let length = 0;
  const cutAt = (at: number): void => {
    segments.push({ start, end: at });
    start = at;
    length = 0;
  };
  for (const line of linesOf(lines, segment)) {
    if (line.kind === "body" || line.kind === "close") continue;
    if (length > 0 && length + line.end - line.start > most) cutAt(line.start);
    for (let after = line.start; line.end - after > most; after = start)
      cutAt(lastGraphemeBoundary(source, { after, until: after + most }));
    length += line.end - Math.max(start, line.start);
  }
  if (start < segment.end) cutAt(segment.end);
  return segments;
}

/** The lines of a segment, found by bisection. */
function linesOf(lines: readonly SourceLine[], { start, end }: Segment): readonly SourceLine[] {
  const indexOf = (offset: number): number => {
    let [low, high] = [0, lines.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if ((lines[middle]?.start ?? 0) < offset) low = middle + 1;
      else high = middle;
    }
    return low;
  };
  return lines.slice(indexOf(start), indexOf(end));
}

function hasManyBrackets(text: string): boolean {
  let count = 0;
  for (let at = text.indexOf("]"); at !== -1 && count <= MANY_BRACKETS; at = text.indexOf("]", at + 1)) count += 1;
  return count > MANY_BRACKETS;
}
