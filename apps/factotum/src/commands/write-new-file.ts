import { open, rm } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { CliError } from "../runtime/cli-error.ts";

/**
 * Writes a new file, which only its owner may read. It is on disk when this resolves, and removed if `write` rejects.
 *
 * @throws CliError when a file has the name already, or it cannot be made.
 */
export async function writeNewFile(path: string, write: (file: FileHandle) => Promise<void>): Promise<void> {
  const file = await openNew(path);
  try {
    await write(file);
    await file.sync();
    await file.close();
  } catch (error) {
    await file.close();
    await rm(path);
    throw error;
  }
}

async function openNew(path: string): Promise<FileHandle> {
  try {
    return await open(path, "wx", 0o600);
  } catch (cause) {
    if (!(cause instanceof Error) || !("code" in cause)) throw cause;
    const message = cause.code === "EEXIST" ? `${path} is there already.` : `${path} cannot be written: ${cause.message}`;
    throw new CliError("failure", message, { cause, fix: "Name another file." });
  }
}
