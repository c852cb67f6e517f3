import { posix } from "node:path";

/** Larger notes are neither searched nor kept, and not opened for the owner. */
export const MAX_NOTE_BYTES: number = 1024 * 1024;

/** The path of a note relative to the workspace in its normal form: `MEMORY.md`, `USER.md`, or a Markdown file in `memory`; `undefined` for another file. */
export function parseNotePath(path: string): string | undefined {
  const note = posix.normalize(path);
  const isNote = note === "MEMORY.md" || note === "USER.md" || (note.startsWith("memory/") && note.endsWith(".md"));
  return isNote ? note : undefined;
}
