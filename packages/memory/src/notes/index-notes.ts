import { createHash } from "node:crypto";
import type { MemoryChange, MemoryOrigin } from "@factotum/agent-contract";
import { chunkNote } from "../chunks/chunk-note.ts";
import type { IndexDatabase } from "../database/index-database.ts";
import { dayOf, readNote, type NoteFile } from "./note-files.ts";

/** What indexing notes needs. */
export interface IndexNotesOptions {
  /** Asked after the text is read: what a tainted turn adds is recorded before it is written. */
  readonly originOf: (note: NoteFile) => Promise<MemoryOrigin>;
  /** Milliseconds since the epoch. */
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

/** Brings the notes of an index up to date: reads those whose time or size is another one, and removes those that are gone. */
export async function indexNotes(
  database: IndexDatabase,
  files: readonly NoteFile[],
  { originOf, nowMs, signal }: IndexNotesOptions,
): Promise<readonly MemoryChange[]> {
  const known = database.files();
  const present = new Set(files.map(({ path }) => path));
  const changes: MemoryChange[] = [];
  const changed = (path: string, type: MemoryChange["type"]): void => void changes.push({ path, type });
  for (const path of known.keys())
    if (!present.has(path)) {
      database.remove(path, nowMs());
      changed(path, "removed");
    }
  for (const note of files) {
    const before = known.get(note.path);
    if (before?.mtimeMs === note.mtimeMs && before.sizeBytes === note.sizeBytes) continue;
    signal.throwIfAborted();
    const text = await readNote(note.file);
    if (text === undefined) continue;
    const origin = await originOf(note);
    signal.throwIfAborted();
    const { path, mtimeMs, sizeBytes } = note;
    const hash = createHash("sha256").update(`${origin}\n${text}`).digest("hex");
    const state = { path, hash, mtimeMs, sizeBytes };
    if (hash === before?.hash) database.touch(state);
    else {
      const datedMs = dayOf(path);
      const file = { ...state, ...(datedMs === undefined ? {} : { datedMs }), origin };
      database.put({ ...file, chunks: chunkNote(text) }, nowMs());
      changed(path, before === undefined ? "added" : "changed");
    }
  }
  return changes;
}
