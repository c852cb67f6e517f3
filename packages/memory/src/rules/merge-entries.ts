import { EntryFinder } from "../entries/entry-finder.ts";
import { noteEntries, type NoteEntry } from "../entries/note-entries.ts";

/** The entries of a text, by whether they stood in an earlier one; a second time counts as added. */
export interface SplitEntries {
  readonly kept: readonly NoteEntry[];
  readonly added: readonly NoteEntry[];
}

/** The result of merging: the text and its entries, with what was dropped of it, or the entries that cannot be merged. */
export type Merged =
  | { readonly type: "merged"; readonly text: string; readonly entries: SplitEntries; readonly dropped: readonly Dropped[] }
  | { readonly type: "conflict"; readonly added: NoteEntry; readonly existing: NoteEntry };

/** An entry that was left out, because another one says the same. */
interface Dropped {
  readonly entry: NoteEntry;
  /** `repeated`: it is the new one. `replaced`: it is the older one, and the new one says it in other words. */
  readonly type: "repeated" | "replaced";
}

/**
 * Merges the entries that a change adds with those that say the same: the same words are left out, other words take the place of the older ones. What stood there
 * before is compared only with what is added. Entries under different headings are a conflict, since the heading may be what makes the difference, and so are items
 * with items below them.
 */
export function mergeEntries(text: string, { kept, added }: SplitEntries): Merged {
  const standing = new EntryFinder();
  for (const entry of kept) standing.add(entry);
  const dropped: Dropped[] = [];
  for (const entry of added) {
    const twin = standing.find(entry);
    if (twin === undefined) standing.add(entry);
    else {
      const isRepeated = isSameText(twin.entry, entry);
      if (twin.likeness === "elsewhere" || (isRepeated ? entry : twin.entry).hasItems)
        return { type: "conflict", added: entry, existing: twin.entry };
      if (isRepeated) dropped.push({ entry, type: "repeated" });
      else {
        standing.remove(twin.entry);
        standing.add(entry);
        dropped.push({ entry: twin.entry, type: "replaced" });
      }
    }
  }
  const gone = new Set(dropped.map(({ entry }) => entry));
  const isThere = (entry: NoteEntry): boolean => !gone.has(entry);
  return { type: "merged", text: without(text, gone), entries: { kept: kept.filter(isThere), added: added.filter(isThere) }, dropped };
}

/** Splits the entries of `after`. */
export function splitEntries(before: string, after: string): SplitEntries {
  const left = new Map<string, number>();
  for (const { digest } of noteEntries(before)) left.set(digest, (left.get(digest) ?? 0) + 1);
  const kept: NoteEntry[] = [];
  const added: NoteEntry[] = [];
  for (const entry of noteEntries(after)) {
    const count = left.get(entry.digest) ?? 0;
    left.set(entry.digest, count - 1);
    (count > 0 ? kept : added).push(entry);
  }
  return { kept, added };
}

function isSameText(one: NoteEntry, other: NoteEntry): boolean {
  const plain = ({ text }: NoteEntry): string =>
    text
      .toLowerCase()
      .replaceAll(/[\s\p{P}]+/gu, " ")
      .trim();
  return plain(one) === plain(other);
}

/** The text without the lines of some entries, and without the blank line that would remain of each. */
function without(text: string, entries: ReadonlySet<NoteEntry>): string {
  if (entries.size === 0) return text;
  const lines: (string | undefined)[] = text.split(/\r\n?|\n/u);
  for (const { startLine, endLine } of entries) lines.fill(undefined, startLine - 1, endLine);
  const isBlank = (line: string | undefined): boolean => line?.trim() === "";
  return lines
    .filter((line, index) => {
      if (line === undefined) return false;
      const isAfterGone = lines[index - 1] === undefined && index > 0;
      const isBetweenBlanks = isBlank(line) && isAfterGone && isBlank(lines.slice(0, index).findLast((one) => one !== undefined) ?? "");
      return !isBetweenBlanks;
    })
    .join("\n");
}
