import type { NoteEntry } from "./note-entries.ts";

/** From this share of common tokens on, two entries say the same. */
export const DUPLICATE = 0.9;
/** Entries with fewer tokens say something only together with their headings. */
const MIN_TOKENS = 8;

/** What two entries are to each other: `same` says it twice in one place, `elsewhere` under another heading. */
export type Likeness = "same" | "elsewhere" | "different";

/** Compares two entries of one file: the common tokens by those of the one that has more. */
export function compareEntries(one: NoteEntry, other: NoteEntry): Likeness {
  if (tokenOverlap(one.tokens, other.tokens) < DUPLICATE) return "different";
  if (one.headings.join("\n") === other.headings.join("\n")) return "same";
  return one.tokens.size < MIN_TOKENS ? "different" : "elsewhere";
}

/** From 0 to 1. */
function tokenOverlap(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const most = Math.max(one.size, other.size);
  // What cannot reach the share need not be counted.
  if (most === 0 || Math.min(one.size, other.size) < DUPLICATE * most) return 0;
  return one.intersection(other).size / most;
}
