import type { LogEntry, LogPart } from "@factotum/protocol";

/** Lines that the page holds, the newest. */
export const MAX_LINES = 500;

/** A line of the page; `gap`: lines before the next one are not shown. */
export type LogLine =
  | { readonly type: "line"; readonly key: string; readonly entry: LogEntry }
  | { readonly type: "gap"; readonly key: string };

/** What the page has read of the log. */
export interface LogLines {
  /** Newest first. */
  readonly lines: readonly LogLine[];
  /** Where the next part begins; `undefined` before the first. */
  readonly cursor: string | undefined;
  /** Lines and gaps that were added so far: their keys. */
  readonly serial: number;
}

/** Before the first part. */
export const NO_LINES: LogLines = { lines: [], cursor: undefined, serial: 0 };

/**
 * The lines with a newer part, which begins at `after`; one that was asked for twice is added once. The oldest go when there are too many; without new lines, the
 * list is the same object.
 */
export function withPart({ lines, cursor, serial }: LogLines, part: LogPart, after: string | undefined): LogLines {
  if (after !== cursor) return { lines, cursor, serial };
  const isGap = part.missed === true;
  const added = [
    ...(isGap ? [{ type: "gap" as const }] : []),
    ...part.lines.slice(-MAX_LINES).map((entry) => ({ type: "line" as const, entry })),
  ].map((line, index): LogLine => ({ ...line, key: String(serial + index) }));
  if (added.length === 0) return part.cursor === cursor ? { lines, cursor, serial } : { lines, cursor: part.cursor, serial };
  return { lines: [...added.toReversed(), ...lines].slice(0, MAX_LINES), cursor: part.cursor, serial: serial + added.length };
}
