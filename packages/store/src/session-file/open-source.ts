import { constants } from "node:fs";
import { open } from "node:fs/promises";
import type { FileHandle } from "node:fs/promises";
import { StoreError } from "../port/store-error.ts";

/** The largest transcript that is accepted. */
export const MAX_TRANSCRIPT_BYTES: number = 256 * 1024 * 1024;

/**
 * Opens a foreign file for reading: a plain file, no link and no pipe. Rejects with `invalid` for anything else, and with the system's error if it cannot be
 * opened.
 */
export async function openSource(path: string, options: { readonly maxBytes: number }): Promise<FileHandle> {
  const handle = await openPlain(path);
  try {
    const facts = await handle.stat();
    if (!facts.isFile()) throw new StoreError("invalid", `${path} is no file.`);
    if (facts.size > options.maxBytes)
      throw new StoreError("invalid", `${path} has ${facts.size} bytes, and ${options.maxBytes} are the most that is taken.`);
    return handle;
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function openPlain(path: string): Promise<FileHandle> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (cause) {
    if (cause instanceof Error && "code" in cause && cause.code === "ELOOP")
      throw new StoreError("invalid", `${path} is a link to somewhere else, and links are not followed.`, { cause });
    throw cause;
  }
}
