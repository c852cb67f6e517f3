import type { Store } from "@factotum/store";
import type { InstructionPlaces } from "./instruction-files.ts";
import { blockDigests, marksFor, WHOLE_FILE } from "./note-blocks.ts";
import { notesFiles, notesPlaces } from "./note-places.ts";

/** Records that a tainted turn wrote these lines of a daily note, or all of it without lines (R23). No-op for other files. `path` is real. */
export async function markTaintedLines(
  { path, lines }: { readonly path: string; readonly lines: string | undefined },
  { store, places }: { readonly store: Pick<Store, "addTaintedBlocks" | "readTaintedBlocks">; readonly places: InstructionPlaces },
): Promise<void> {
  for (const notes of notesFiles(path, await notesPlaces(places))) {
    const marks = lines === undefined ? [WHOLE_FILE] : marksFor(blockDigests(lines), await store.readTaintedBlocks(notes));
    if (marks.length > 0) await store.addTaintedBlocks(notes, marks);
  }
}
