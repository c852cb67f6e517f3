/**
 * A thread that reads a session file: parsing it would hold up the gateway, and its text would fill its memory. It first sends what is known of the
 * file, then a batch of entries for each request, so that never more than one batch is on its way.
 */
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { parentPort, workerData } from "node:worker_threads";
import type { ImportedEntry } from "../port/store.ts";
import { entryChars } from "./entry-chars.ts";
import { readSessionFile } from "./read-session-file.ts";
import type { FromSessionFileWorker, SessionFileJob } from "./session-file-job.ts";

/** Characters of one batch, more only for a single entry. */
const MAX_BATCH_CHARS = 256 * 1024;
const MAX_BATCH_ENTRIES = 200;

const { handle, sizeBytes } = workerData as SessionFileJob;

/** Both times as many bytes as there were at first: a file that somebody appends to is read as it was. The second time they must be the same. */
function createSource(file: FileHandle): () => AsyncIterable<Uint8Array> {
  let known: string | undefined;
  return async function* read() {
    const hash = createHash("sha256");
    if (sizeBytes > 0) {
      for await (const chunk of file.createReadStream({ start: 0, end: sizeBytes - 1, autoClose: false })) {
        const bytes = chunk as Uint8Array;
        hash.update(bytes);
        yield bytes;
      }
    }
    const digest = hash.digest("hex");
    known ??= digest;
    if (known !== digest) throw new Error("the file was changed while it was read");
  };
}

async function* batchesOf(entries: AsyncIterable<ImportedEntry>): AsyncGenerator<readonly ImportedEntry[], undefined> {
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

async function answer(work: () => Promise<FromSessionFileWorker>): Promise<void> {
  try {
    parentPort?.postMessage(await work());
  } catch (error) {
    parentPort?.postMessage({
      type: "failed",
      message: error instanceof Error ? error.message : String(error),
    } satisfies FromSessionFileWorker);
  }
}

void answer(async () => {
  const { entries, ...facts } = await readSessionFile(createSource(handle));
  const batches = batchesOf(entries);
  parentPort?.on("message", () => {
    void answer(async () => {
      const next = await batches.next();
      return next.done === true ? { type: "end" } : { type: "entries", entries: next.value };
    });
  });
  return { type: "facts", facts };
});
