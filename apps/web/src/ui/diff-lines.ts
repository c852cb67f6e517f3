import { structuredPatch } from "diff";

/** Unchanged lines that are shown around changes. */
const CONTEXT_LINES = 3;
/** Texts that have little in common take long to compare, in milliseconds. */
const TIMEOUT_MS = 500;

/** A line of a difference. */
export interface ChangedLine {
  readonly change: "added" | "removed" | "same";
  readonly text: string;
}

/** Changes that stand close together, with the lines around them. */
export interface DiffHunk {
  /** Its first line in the text after the change, from 1. */
  readonly startLine: number;
  readonly lines: readonly ChangedLine[];
}

const CHANGES: Readonly<Record<string, ChangedLine["change"]>> = { "+": "added", "-": "removed", " ": "same" };

/** The differences of two texts by line; `undefined` if it takes too long to find them. */
export function diffLines(before: string, after: string): readonly DiffHunk[] | undefined {
  const patch = structuredPatch("", "", before, after, "", "", { context: CONTEXT_LINES, timeout: TIMEOUT_MS });
  return patch?.hunks.map(({ newStart, lines }) => ({
    startLine: newStart,
    // The library adds a line that says that the last one has no end.
    lines: lines.flatMap((line) => {
      const change = CHANGES[line.slice(0, 1)];
      return change === undefined ? [] : [{ change, text: line.slice(1) }];
    }),
  }));
}
