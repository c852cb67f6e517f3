import { createHash } from "node:crypto";

/** The folder of daily notes in a workspace. */
export const NOTES_FOLDER = "memory";

/** Instead of digests: all blocks of the file count as written by tainted turns. */
export const WHOLE_FILE = "*";
/** Maximum blocks of one file that are recorded individually. A day's notes have tens. */
const MAX_BLOCKS = 1000;

/** A note, split by provenance. */
export interface SplitNote {
  readonly text: string;
  /** Text of tainted turns, as it is in the file. */
  readonly untrustedText: string;
}

/** Digests of the blocks of a text. A block is a line that is not empty, without surrounding white space. */
export function blockDigests(text: string): ReadonlySet<string> {
  return new Set(
    linesOf(text)
      .filter((line) => line.trim() !== "")
      .map(digestOf),
  );
}

/** Splits a note into text of tainted turns, by its recorded digests, and the rest. A line that was changed by hand has another digest, and is the owner's. */
export function splitNote(text: string, tainted: ReadonlySet<string>): SplitNote {
  if (tainted.size === 0) return { text, untrustedText: "" };
  const lines = linesOf(text);
  const isTainted = (line: string): boolean => tainted.has(WHOLE_FILE) || tainted.has(digestOf(line));
  return {
    text: lines.filter((line) => !isTainted(line)).join("\n"),
    untrustedText: lines.filter(isTainted).join("\n"),
  };
}

/** True if a text contains a tainted block. */
export function hasTaintedBlock(text: string, tainted: ReadonlySet<string>): boolean {
  const blocks = blockDigests(text);
  return tainted.has(WHOLE_FILE) ? blocks.size > 0 : !blocks.isDisjointFrom(tainted);
}

/** What to record of blocks that a tainted turn adds to a file: their digests, or the file as a whole once there are too many. */
export function marksFor(added: ReadonlySet<string>, known: ReadonlySet<string>): readonly string[] {
  const fresh = known.has(WHOLE_FILE) ? new Set<string>() : added.difference(known);
  return known.size + fresh.size > MAX_BLOCKS ? [WHOLE_FILE] : [...fresh];
}

function linesOf(text: string): readonly string[] {
  return text.split(/\r\n?|\n/);
}

function digestOf(line: string): string {
  return createHash("sha256").update(line.trim()).digest("hex");
}
