import { createHash } from "node:crypto";

/** A note, its blocks parted by whose they are. */
export interface SplitNote {
  readonly text: string;
  /** What tainted turns wrote, as it stands in the file. */
  readonly untrustedText: string;
}

/** Digests of the blocks of a text. A block is a line that is not empty, without the white space around it. */
export function blockDigests(text: string): ReadonlySet<string> {
  return new Set(
    linesOf(text)
      .filter((line) => line.trim() !== "")
      .map(digestOf),
  );
}

/** Parts a note into what tainted turns wrote, by its recorded digests, and the rest. A line that was changed by hand has another digest, and is the owner's. */
export function splitNote(text: string, tainted: ReadonlySet<string>): SplitNote {
  if (tainted.size === 0) return { text, untrustedText: "" };
  const lines = linesOf(text);
  const isTainted = (line: string): boolean => tainted.has(digestOf(line));
  return {
    text: lines.filter((line) => !isTainted(line)).join("\n"),
    untrustedText: lines.filter(isTainted).join("\n"),
  };
}

function linesOf(text: string): readonly string[] {
  return text.split(/\r\n?|\n/);
}

function digestOf(line: string): string {
  return createHash("sha256").update(line.trim()).digest("hex");
}
