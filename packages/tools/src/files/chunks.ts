import { Buffer } from "node:buffer";
import type { OpenFile } from "../file-access/open-file.ts";

const CHUNK_BYTES = 64 * 1024;

/**
 * Reads a file from its beginning, of which `head` has been read already. Of a file that grows, as much as there was when it was opened. Each chunk is a
 * view of the same memory: use it before asking for the next one.
 */
export async function* readChunks(
  { handle, sizeBytes }: Pick<OpenFile, "sizeBytes"> & { readonly handle: Pick<OpenFile["handle"], "read"> },
  { head, signal }: { readonly head: Buffer; readonly signal: AbortSignal },
): AsyncGenerator<Buffer> {
  signal.throwIfAborted();
  let position = head.length;
  if (position > 0) yield head;
  // A file of the kernel says that it is empty, whatever is in it.
  const isWhole = (): boolean => sizeBytes > 0 && position >= sizeBytes;
  if (isWhole()) return;
  const buffer = Buffer.allocUnsafe(CHUNK_BYTES);
  while (!isWhole()) {
    signal.throwIfAborted();
    const { bytesRead } = await handle.read(buffer, 0, CHUNK_BYTES, position);
    if (bytesRead === 0) return;
    position += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
