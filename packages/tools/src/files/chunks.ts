import { Buffer } from "node:buffer";
import type { FileHandle } from "node:fs/promises";

const CHUNK_BYTES = 64 * 1024;

/** Reads a file from its beginning. Each chunk is a view of the same memory: use it before asking for the next one. */
export async function* readChunks(handle: Pick<FileHandle, "read">, options: { readonly signal: AbortSignal }): AsyncGenerator<Buffer> {
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  let position = 0;
  for (;;) {
    options.signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
