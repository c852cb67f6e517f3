import { randomUUID } from "node:crypto";
import { open, realpath, rename, rm } from "node:fs/promises";
import { dirname, join } from "node:path";
import { makeFolder } from "./make-folder.ts";

/**
 * Writes a private file so that a reader sees the old content or the new one, even after a crash: a temporary file beside it (mode 600), flushed, renamed over
 * it, the folder flushed. A symbolic link is followed, and stays. Missing folders are created with mode 700.
 */
export async function writePrivateFile(path: string, content: string | Uint8Array): Promise<void> {
  const target = await realTarget(path);
  const folder = dirname(target);
  await makeFolder(folder);
  const temporary = temporaryPath(folder);
  try {
    const file = await open(temporary, "wx", 0o600);
    try {
      await file.writeFile(content);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(temporary, target);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
  await flushFolder(folder);
}

/** A new name for a temporary file of this process: the gateway's next start removes leftovers of a killed process. */
export function temporaryPath(folder: string): string {
  return join(folder, `.factotum-${process.pid}-${randomUUID()}.tmp`);
}

async function realTarget(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return path;
    throw error;
  }
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, "r");
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
