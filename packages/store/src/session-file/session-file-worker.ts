/**
 * A thread that reads a session file: parsing it would block the gateway, and its text would fill its memory. It first sends the facts of the file, then one
 * batch of entries per request, so that at most one batch is in transit.
 */
import { createHash } from "node:crypto";
import type { FileHandle } from "node:fs/promises";
import { parentPort, workerData } from "node:worker_threads";
import { batchesOf } from "./batches-of.ts";
import { readSessionFile } from "./read-session-file.ts";
import type { FromSessionFileWorker, SessionFileJob } from "./session-file-job.ts";

const { handle, sizeBytes } = workerData as SessionFileJob;

/** Both passes read the number of bytes that the file had at first, so data appended meanwhile is ignored. The second pass must match the first. */
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
