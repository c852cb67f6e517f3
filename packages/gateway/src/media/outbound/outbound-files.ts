import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { writePrivateFile } from "@factotum/config";
import { isMissing } from "../store/is-missing.ts";

/** The folder of files to be sent: one below the state directory's media. */
export function outboundFolder(home: string): string {
  return path.join(home, "media", "outbound");
}

const ID = /^[0-9a-f]{64}$/;

/**
 * Files to be sent to a chat, as they were when they were named: the workspace may change later. Named by their content, so that the same file is stored once.
 * Pruned with the old files of the media store.
 */
export class OutboundFiles {
  readonly #folder: string;

  constructor({ home }: { readonly home: string }) {
    this.#folder = path.join(outboundFolder(home), "kept");
  }

  /** Resolves with the file's id. Rejects when the disk does. */
  async put(bytes: Uint8Array): Promise<string> {
    const id = createHash("sha256").update(bytes).digest("hex");
    await writePrivateFile(this.#path(id), bytes);
    return id;
  }

  /** The bytes of a file; `undefined` if it no longer exists, or has changed. */
  async read(id: string): Promise<Uint8Array | undefined> {
    if (!ID.test(id)) return undefined;
    try {
      const bytes = await readFile(this.#path(id));
      return createHash("sha256").update(bytes).digest("hex") === id ? bytes : undefined;
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  #path(id: string): string {
    return path.join(this.#folder, `${id}.bin`);
  }
}
