import type { ImportedEntry } from "../port/session-store.ts";
import { readSessionFile } from "./read-session-file.ts";
import type { SessionFileSource } from "./read-lines.ts";
import type { ParsedSessionFile } from "./session-file.ts";

/** Reads a whole session file into memory; see `readSessionFile`. For files that are known to be small. */
export async function parseSessionFile(source: SessionFileSource): Promise<ParsedSessionFile> {
  const pieces: (string | Uint8Array)[] = [];
  for await (const piece of typeof source === "string" ? [source] : source) pieces.push(piece);
  const file = await readSessionFile(() => pieces);
  const entries: ImportedEntry[] = [];
  for await (const entry of file.entries) entries.push({ ...entry, id: String(entries.length) });
  return { ...file, entries };
}
