import { randomUUID } from "node:crypto";
import { constants, copyFile, link, lstat, open, rename, rm } from "node:fs/promises";
import { basename, join } from "node:path";
import { FileAccessError, systemCode } from "./file-access-error.ts";
import type { ChainFolder } from "./folder-chains.ts";
import { isSameVersion, toVersion, type FileVersion } from "./open-file.ts";
import { anchorOf } from "./opened-path.ts";

const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const DEFAULT_MODE = 0o666;
const MODE_BITS = 0o7777;
/** What a file system without hard links answers. */
const NO_LINKS: readonly string[] = ["EPERM", "ENOTSUP", "EOPNOTSUPP", "EMLINK", "ENOSYS"];

/** The change of one file. */
export type StagedChange =
  | { readonly type: "write"; readonly data: string | Uint8Array; readonly mode?: number }
  | { readonly type: "remove" };

/** Where a change happens. */
interface Place {
  readonly folder: ChainFolder;
  /** Real path of the file. */
  readonly target: string;
  readonly shown: string;
  /** What was read; `absent`: there was no file. */
  readonly unchangedSince?: FileVersion | "absent";
}

/** A file whose new content is complete and flushed next to it, so that the change is one rename. */
export class StagedFile {
  readonly #place: Place;
  readonly #path: string;
  readonly #anchor: string;
  /** The new content; none for a removal. */
  #temporary: string | undefined;
  /** The old file under another name, once the change is made. */
  #backup: string | undefined;
  #isMade = false;

  private constructor(place: Place) {
    this.#place = place;
    this.#anchor = anchorOf(place.folder.handle, place.folder.path);
    this.#path = join(this.#anchor, basename(place.target));
  }

  /** Writes and flushes the new content. An existing file keeps its mode. */
  static async create(change: StagedChange, place: Place): Promise<StagedFile> {
    const staged = new StagedFile(place);
    const mode = await staged.#check();
    if (change.type === "remove") return staged;
    // Set before it exists: a failure must remove it.
    const temporary = staged.#asideName();
    staged.#temporary = temporary;
    try {
      await writeFlushed(temporary, change.data, { created: change.mode ?? DEFAULT_MODE, mode: mode ?? change.mode });
      return staged;
    } catch (error) {
      await staged.discard();
      throw error;
    }
  }

  get shown(): string {
    return this.#place.shown;
  }

  /** Makes the change, unless something else changed the file since it was read. `canUndo` keeps the old file until `finish`. */
  async make({ canUndo }: { readonly canUndo: boolean }): Promise<void> {
    // As late as possible: a concurrent write must not be overwritten unseen.
    const mode = this.#place.unchangedSince === undefined && !canUndo ? undefined : await this.#check();
    if (this.#temporary === undefined) {
      const aside = this.#asideName();
      await rename(this.#path, aside);
      this.#backup = aside;
    } else {
      if (canUndo && mode !== undefined) this.#backup = await secondName(this.#path, this.#asideName());
      if (this.#place.unchangedSince === "absent") await this.#publishNew(this.#temporary);
      else await rename(this.#temporary, this.#path);
      this.#temporary = undefined;
    }
    this.#isMade = true;
  }

  /** Puts the old file back after `make`. */
  async undo(): Promise<void> {
    if (!this.#isMade) return;
    if (this.#backup === undefined) await rm(this.#path, { force: true });
    else await rename(this.#backup, this.#path);
    this.#backup = undefined;
    this.#isMade = false;
  }

  /** Removes what only an undo needs, and flushes the folder. */
  async finish(): Promise<void> {
    await this.discard();
    await this.#place.folder.handle.sync();
  }

  /** Removes the temporary and the backup file. */
  async discard(): Promise<void> {
    for (const aside of [this.#temporary, this.#backup]) if (aside !== undefined) await rm(aside, { force: true });
    this.#temporary = undefined;
    this.#backup = undefined;
  }

  /** Gives the new content its name unless something has that name: a rename would replace what another process made since the check. */
  async #publishNew(temporary: string): Promise<void> {
    try {
      await publishNew(temporary, this.#path);
    } catch (error) {
      if (systemCode(error) !== "EEXIST") throw error;
      throw new FileAccessError("changed", `${this.shown} exists already.`, { cause: error });
    }
  }

  /** The name identifies the writing process: the gateway's next start removes leftovers of a killed one. */
  #asideName(): string {
    return join(this.#anchor, `.factotum-${process.pid}-${randomUUID()}.tmp`);
  }

  /** The mode of the file to be changed; undefined if it does not exist. */
  async #check(): Promise<number | undefined> {
    const { shown, unchangedSince } = this.#place;
    const stats = await lstat(this.#path, { bigint: true }).catch((error: unknown) => {
      if (systemCode(error) === "ENOENT") return undefined;
      throw error;
    });
    if (unchangedSince === "absent") {
      if (stats !== undefined) throw new FileAccessError("changed", `${shown} exists already.`);
    } else if (unchangedSince !== undefined && (stats === undefined || !isSameVersion(toVersion(stats), unchangedSince))) {
      throw new FileAccessError("changed", `${shown} was changed by something else in the meantime; read it again.`);
    }
    if (stats === undefined) return undefined;
    if (stats.isDirectory()) throw new FileAccessError("not-a-file", `${shown} is a folder.`);
    if (stats.isSymbolicLink()) throw new FileAccessError("changed", `${shown} became a symbolic link just now; try again.`);
    if (!stats.isFile()) throw new FileAccessError("not-a-file", `${shown} is not a regular file.`);
    const mode = Number(stats.mode) & MODE_BITS;
    if ((mode & 0o222) === 0) throw new FileAccessError("read-only", `${shown} is marked read-only.`);
    return mode;
  }
}

async function writeFlushed(
  path: string,
  data: string | Uint8Array,
  { created, mode }: { readonly created: number; readonly mode: number | undefined },
): Promise<void> {
  const file = await open(path, CREATE_FLAGS, mode ?? created);
  try {
    await file.writeFile(data);
    if (mode !== undefined) await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** Moves a file to a name that must be free (`EEXIST`), in one step; on a file system without hard links the name is taken by an empty file first. */
async function publishNew(temporary: string, path: string): Promise<void> {
  try {
    await link(temporary, path);
  } catch (error) {
    if (!NO_LINKS.includes(systemCode(error) ?? "")) throw error;
    await (await open(path, CREATE_FLAGS)).close();
    await rename(temporary, path);
    return;
  }
  await rm(temporary);
}

/** Gives a file another name; on a file system without hard links a copy. */
async function secondName(path: string, other: string): Promise<string> {
  try {
    await link(path, other);
  } catch (error) {
    if (!NO_LINKS.includes(systemCode(error) ?? "")) throw error;
    await copyFile(path, other, constants.COPYFILE_EXCL);
  }
  return other;
}
