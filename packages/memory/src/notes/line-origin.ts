import { join } from "node:path";
import type { MemoryOrigin } from "@factotum/agent-contract";
import type { FoundChunk } from "../database/index-database.ts";
import { readNote } from "./note-files.ts";

/** Notes of the workspace itself: not those of further paths, whose origin is that of their place. */
const OWN_NOTE = /^(?:memory\/|memory\.md$)/iu;

/**
 * The origin of a passage that was found, by its lines as they are in the file now. If these are others than when they were indexed, the whole file decides, and a
 * mark of then stays.
 */
export async function lineOrigin(
  { path, startLine, endLine, text, source, origin }: FoundChunk,
  { workspace, isUntrusted }: { readonly workspace: string; readonly isUntrusted: (file: string, lines?: string) => Promise<boolean> },
): Promise<MemoryOrigin> {
  if (source !== "notes" || !OWN_NOTE.test(path)) return origin;
  const file = join(workspace, path);
  const all = ((await readNote(file)) ?? "").split(/\r\n?|\n/);
  const lines = all.slice(startLine - 1, endLine).join("\n");
  if (lines.includes(text)) return (await isUntrusted(file, lines)) ? "untrusted" : "agent";
  return (await isUntrusted(file)) ? "untrusted" : origin;
}
