import type { ImportedEntry, ImportedSession } from "../port/session-store.ts";
import { entryChars } from "./entry-chars.ts";

/**
 * Size of a batch, exceeded only by a single larger entry: enough to share a commit among many entries, and small enough not to block the event loop. During an
 * import of 208 MB the gateway's heap grew to 61 MiB with this size, and to 98 MiB with four times as much.
 */
const MAX_BATCH_CHARS = 64 * 1024;
const MAX_BATCH_ENTRIES = 200;

/** Entries of an import, in batches of a bounded size. */
export async function* batchesOf(entries: ImportedSession["entries"]): AsyncGenerator<readonly ImportedEntry[], undefined> {
  let batch: ImportedEntry[] = [];
  let chars = 0;
  for await (const entry of entries) {
    const size = entryChars(entry);
    if (batch.length > 0 && (chars + size > MAX_BATCH_CHARS || batch.length >= MAX_BATCH_ENTRIES)) {
      yield batch;
      batch = [];
      chars = 0;
    }
    batch.push(entry);
    chars += size;
  }
  if (batch.length > 0) yield batch;
  return undefined;
}
