import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";

/** Identifies the version of a file that was read. */
export interface FileVersion {
  readonly device: bigint;
  readonly inode: bigint;
  readonly sizeBytes: bigint;
  readonly modifiedNs: bigint;
  /** Fingerprint of the text that an editor showed instead, with unsaved changes. */
  readonly editorDigest?: string;
}

/** A regular file, open for reading and checked. Close it with `await using`. */
export class OpenFile {
  readonly type = "file";
  readonly handle: FileHandle;
  /** Real. */
  readonly path: string;
  /** As shown to the model (`RunFiles.show`). */
  readonly shown: string;
  /** Its content comes from strangers. */
  readonly untrusted: boolean;
  readonly sizeBytes: number;
  readonly version: FileVersion;
  readonly #stats: BigIntStats;

  constructor(
    handle: FileHandle,
    facts: {
      readonly path: string;
      readonly shown: string;
      readonly untrusted: boolean;
      readonly stats: BigIntStats;
      readonly editor?: { readonly sizeBytes: number; readonly digest: string };
    },
  ) {
    this.handle = handle;
    this.path = facts.path;
    this.shown = facts.shown;
    this.untrusted = facts.untrusted;
    this.#stats = facts.stats;
    this.sizeBytes = facts.editor?.sizeBytes ?? Number(facts.stats.size);
    this.version = { ...toVersion(facts.stats), ...(facts.editor === undefined ? {} : { editorDigest: facts.editor.digest }) };
  }

  /** The same file, whose content an editor shows differently: that is read from `handle`. */
  showing(handle: FileHandle, editor: { readonly sizeBytes: number; readonly digest: string }): OpenFile {
    const { path, shown, untrusted } = this;
    return new OpenFile(handle, { path, shown, untrusted, stats: this.#stats, editor });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.handle.close();
  }
}

export function toVersion(stats: BigIntStats): FileVersion {
  return { device: stats.dev, inode: stats.ino, sizeBytes: stats.size, modifiedNs: stats.mtimeNs };
}

export function isSameVersion(one: FileVersion, other: FileVersion): boolean {
  return (
    one.device === other.device && one.inode === other.inode && one.sizeBytes === other.sizeBytes && one.modifiedNs === other.modifiedNs
  );
}
