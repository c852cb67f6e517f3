import { randomBytes } from "node:crypto";
import { mkdir, open, rm, stat, statfs } from "node:fs/promises";
import path from "node:path";

/** Space reserved for a full disk: released when nothing else is left, so that running work can still be stored. */
export interface DiskReserve {
  /** Takes the space, unless it is taken. Rejects if there is too little, saying how much; then nothing is taken. */
  fill(): Promise<void>;
  /** Releases the space; false if there was none. */
  free(): Promise<boolean>;
}

/** The path and size of the reserve. */
export interface FileReserveOptions {
  /** On the disk of the state directory; absolute. */
  readonly path: string;
  /** 16 MiB by default: the last commits of every place in the lanes, and the answers to them. */
  readonly bytes?: number;
}

const DEFAULT_BYTES: number = 16 * 1024 * 1024;
/** Must be free in addition to the reserve, or taking it would fill the disk. */
const MARGIN_BYTES: number = 8 * 1024 * 1024;
const PIECE_BYTES: number = 1024 * 1024;

/** A reserve in a file. Its bytes are random: a compressing file system reserves nothing for zeros. */
export function createFileReserve({ path: file, bytes = DEFAULT_BYTES }: FileReserveOptions): DiskReserve {
  return {
    fill: async () => {
      await mkdir(path.dirname(file), { recursive: true, mode: 0o700 });
      const taken = await sizeOf(file);
      const missing = Math.max(0, bytes - taken);
      await requireSpace(path.dirname(file), missing + MARGIN_BYTES);
      if (missing === 0) return;
      try {
        await append(file, missing);
      } catch (error) {
        await rm(file, { force: true });
        throw error;
      }
    },
    free: async () => {
      const isTaken = (await sizeOf(file)) > 0;
      await rm(file, { force: true });
      return isTaken;
    },
  };
}

async function append(file: string, bytes: number): Promise<void> {
  const handle = await open(file, "a", 0o600);
  try {
    const piece = randomBytes(PIECE_BYTES);
    for (let left = bytes; left > 0; left -= PIECE_BYTES) await handle.appendFile(piece.subarray(0, Math.min(left, PIECE_BYTES)));
    await handle.sync();
  } finally {
    await handle.close();
  }
}

async function requireSpace(folder: string, bytes: number): Promise<void> {
  const { bavail, bsize } = await statfs(folder);
  const free = bavail * bsize;
  if (free >= bytes) return;
  const [has, needs] = [free, bytes].map((amount) => `${(amount / 1_000_000).toFixed(1)} MB`);
  throw Object.assign(new Error(`The disk has ${has} left, and ${needs} are needed. Free some space; it works again by itself.`), {
    code: "ENOSPC",
  });
}

async function sizeOf(file: string): Promise<number> {
  try {
    return (await stat(file)).size;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return 0;
    throw error;
  }
}
