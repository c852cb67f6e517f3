import { readFile, rm } from "node:fs/promises";
import path from "node:path";
import type { Random } from "@factotum/agent-contract";
import { ChannelError } from "@factotum/channel-contract";
import type { AttachmentRef, Channel, Media } from "@factotum/channel-contract";
import { writePrivateFile } from "@factotum/config";
import { isMissing } from "./is-missing.ts";

/** The folder of uploads without a turn: one below the state directory's media. */
export function uploadsFolder(home: string): string {
  return path.join(home, "media", "uploads");
}

const REF = /^upload:([0-9a-f]{32})$/;

/**
 * Uploads of the gateway's own clients, from before their message is committed until its turn has stored them in the media store: for the turn they are what
 * the platform is to a channel. Uploads that never get a turn are pruned with the old files of the media store.
 */
export class UploadStore implements Pick<Channel, "fetchAttachment"> {
  readonly #folder: string;
  readonly #random: Random;

  constructor({ home, random }: { readonly home: string; readonly random: Random }) {
    this.#folder = path.join(uploadsFolder(home), "waiting");
    this.#random = random;
  }

  /** Stores a file under an unguessable id; resolves with the `ref` of an attachment. Rejects if the disk fails. */
  async put(bytes: Uint8Array): Promise<string> {
    const id = Buffer.from(this.#random.bytes(16)).toString("hex");
    await writePrivateFile(this.#path(id), bytes);
    return `upload:${id}`;
  }

  async fetchAttachment({ kind, ref, mimeType = "application/octet-stream" }: AttachmentRef): Promise<Media> {
    const bytes = await this.read(ref);
    if (bytes === undefined) throw new ChannelError("not-found", "the file is not there any more", { retry: { type: "never" } });
    return { kind, mimeType, bytes };
  }

  /** The bytes of a file; `undefined` if it does not exist (any more). */
  async read(ref: string): Promise<Uint8Array | undefined> {
    const id = REF.exec(ref)?.[1];
    if (id === undefined) return undefined;
    try {
      return await readFile(this.#path(id));
    } catch (error) {
      if (isMissing(error)) return undefined;
      throw error;
    }
  }

  /** The absolute path of a file that `put` has stored. */
  pathOf(ref: string): string {
    return this.#path(REF.exec(ref)?.[1] ?? "");
  }

  /** Deletes the uploads among the attachments. Rejects if the disk fails. */
  async remove(attachments: readonly AttachmentRef[]): Promise<void> {
    for (const { ref } of attachments) {
      const id = REF.exec(ref)?.[1];
      if (id !== undefined) await rm(this.#path(id), { force: true });
    }
  }

  #path(id: string): string {
    return path.join(this.#folder, `${id}.bin`);
  }
}
