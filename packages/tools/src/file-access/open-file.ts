import type { BigIntStats } from "node:fs";
import type { FileHandle } from "node:fs/promises";

/** Identifies the version of a file that was read. */
export interface FileVersion {
  readonly device: bigint;
  readonly inode: bigint;
  readonly sizeBytes: bigint;
  readonly modifiedNs: bigint;
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

  constructor(
    handle: FileHandle,
    facts: { readonly path: string; readonly shown: string; readonly untrusted: boolean; readonly stats: BigIntStats },
  ) {
    this.handle = handle;
    this.path = facts.path;
    this.shown = facts.shown;
    this.untrusted = facts.untrusted;
    this.sizeBytes = Number(facts.stats.size);
    this.version = toVersion(facts.stats);
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
