import { Buffer } from "node:buffer";
import type { OpenFile } from "../file-access/open-file.ts";

const CHUNK_BYTES = 64 * 1024;

/**
 * Reads a file from its start, of which `head` was read already. Of a growing file, only its size at opening. Each chunk is a view of the same memory: use it
 * before asking for the next one.
 */
export async function* readChunks(
  { handle, sizeBytes }: Pick<OpenFile, "sizeBytes"> & { readonly handle: Pick<OpenFile["handle"], "read"> },
  { head, signal }: { readonly head: Buffer; readonly signal: AbortSignal },
): AsyncGenerator<Buffer> {
  signal.throwIfAborted();
  let position = head.length;
  if (position > 0) yield head;
  // Files of the kernel report size 0, regardless of their content.
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
