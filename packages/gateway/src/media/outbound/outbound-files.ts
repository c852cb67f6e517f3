import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import path from "node:path";
import { writePrivateFile } from "@factotum/config";
import { isMissing } from "../store/is-missing.ts";

/** Where files lie that are to be sent: one folder below this one. */
export function outboundFolder(home: string): string {
  return path.join(home, "media", "outbound");
}

const ID = /^[0-9a-f]{64}$/;

/**
 * Files on their way to a chat, as they were when they were named: what the workspace holds later is another matter. Named by what is in them, so that the
 * same file is kept once. They go with the old files of the media store.
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

  /** The bytes of a file; `undefined` when it is not there any more, or is another. */
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
