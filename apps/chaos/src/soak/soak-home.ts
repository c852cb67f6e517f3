import { existsSync, statfsSync } from "node:fs";
import { mkdtemp } from "node:fs/promises";
import { tmpdir } from "node:os";
import path from "node:path";

/** Where Linux keeps files in memory. */
const MEMORY_FOLDER = "/dev/shm";

/** More than a run of 100,000 turns writes. */
const NEEDED_BYTES = 2 * 1024 ** 3;

/**
 * A new folder for the product's state, in memory if there is room: a soak measures what a process holds, and a disk would only slow it. Files there do not
 * count as the process's resident memory.
 */
export async function makeSoakHome(): Promise<string> {
  return mkdtemp(path.join(hasRoom(MEMORY_FOLDER) ? MEMORY_FOLDER : tmpdir(), "factotum-soak-"));
}

function hasRoom(folder: string): boolean {
  if (!existsSync(folder)) return false;
  const { bavail, bsize } = statfsSync(folder);
  return bavail * bsize >= NEEDED_BYTES;
}
