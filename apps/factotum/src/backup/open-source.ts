import { constants } from "node:fs";
import { copyFile, open, rm, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import type { ArchiveEntry } from "./write-archive.ts";

/** Files up to this size are read into memory at once, so that a concurrent change does not tear them. */
const IN_MEMORY_BYTES = 4 * 1024 * 1024;
const CHUNK_BYTES = 256 * 1024;
const COPY_NAME = "changing-file";

/** Options of `openSource`. */
export interface SourceOptions {
  /** Its path in the backup. */
  readonly path: string;
  /** Limits a longer file to its beginning. */
  readonly maxBytes?: number;
  /** True if the file does not change. */
  readonly isStable?: boolean;
  /** A private folder on a disk with space for one copy of the file. */
  readonly workFolder: string;
}

/** Opens a file for an archive, which needs the size before the content. A larger file that may change is copied first. Disposing closes it. */
export async function openSource(file: string, options: SourceOptions): Promise<{ readonly entry: ArchiveEntry } & AsyncDisposable> {
  await using opened = new AsyncDisposableStack();
  const original = await openFile(file);
  opened.defer(() => original.close());
  const stats = await original.stat();
  let [handle, size] = [original, stats.size];
  if (size > IN_MEMORY_BYTES && options.isStable !== true) {
    const copy = join(options.workFolder, COPY_NAME);
    opened.defer(() => rm(copy, { force: true }));
    await copyFile(file, copy, constants.COPYFILE_FICLONE);
    const copied = await openFile(copy);
    opened.defer(() => copied.close());
    handle = copied;
    size = (await copied.stat()).size;
  }
  const wanted = Math.min(size, options.maxBytes ?? Infinity);
  const facts = { type: "file", path: options.path, mode: stats.mode & 0o777, modifiedAtMs: stats.mtimeMs } as const;
  const body = wanted <= IN_MEMORY_BYTES ? [await readWhole(handle, wanted)] : readChunks(handle, wanted);
  const bytes = Array.isArray(body) ? (body[0]?.length ?? 0) : wanted;
  const ends = opened.move();
  return { entry: { ...facts, bytes, body }, [Symbol.asyncDispose]: () => ends.disposeAsync() };
}

/** Refuses a link that has replaced the file, and does not block on a pipe. */
async function openFile(file: string): Promise<FileHandle> {
  return open(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
}

/** Shorter than requested if the file was truncated meanwhile. */
async function readWhole(handle: FileHandle, bytes: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(bytes);
  let done = 0;
  while (done < bytes) {
    const { bytesRead } = await handle.read(buffer, done, bytes - done, done);
    if (bytesRead === 0) break;
    done += bytesRead;
  }
  return buffer.subarray(0, done);
}

async function* readChunks(handle: FileHandle, bytes: number): AsyncIterable<Uint8Array> {
  for (let done = 0; done < bytes;) {
    const wanted = Math.min(CHUNK_BYTES, bytes - done);
    const { bytesRead, buffer } = await handle.read(new Uint8Array(wanted), 0, wanted, done);
    if (bytesRead === 0) throw new Error("a file of the backup became shorter while it was read");
    done += bytesRead;
    yield buffer.subarray(0, bytesRead);
  }
}
