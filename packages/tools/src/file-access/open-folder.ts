import type { Dirent } from "node:fs";
import { opendir, type FileHandle } from "node:fs/promises";
import { join } from "node:path";
import { toFileAccessError } from "./file-access-error.ts";
import type { Grants } from "./grants.ts";
import { openChecked, type Checked } from "./open-checked.ts";
import { OpenFile } from "./open-file.ts";
import { anchorOf } from "./opened-path.ts";

/** What an open file or folder keeps of its run. */
export interface OpenContext {
  readonly grants: Grants;
  /** The workspace in words, for messages. */
  readonly workspace: string;
  readonly show: (path: string) => string;
  /** Whether a file at a real path is known to contain text of strangers. */
  readonly isUntrusted: (path: string) => Promise<boolean>;
}

/** A folder, open and checked. Its entries are reached through the handle, not by name. Close it with `await using`. */
export class OpenFolder {
  readonly type = "folder";
  /** Real. */
  readonly path: string;
  readonly shown: string;
  readonly untrusted: boolean;
  readonly #handle: FileHandle;
  readonly #context: OpenContext;

  constructor(checked: Checked, context: OpenContext) {
    this.#handle = checked.handle;
    this.#context = context;
    this.path = checked.path;
    this.shown = context.show(checked.path);
    this.untrusted = checked.decision.untrusted;
  }

  /** The entries in the system's order, read on demand. */
  async *entries(): AsyncGenerator<Dirent> {
    yield* await opendir(anchorOf(this.#handle, this.path), { bufferSize: 128 });
  }

  /** An entry's path as shown to the model. */
  show(name: string): string {
    return this.#context.show(join(this.path, name));
  }

  /** Opens an entry without following a symbolic link. */
  async open(name: string): Promise<OpenFile | OpenFolder> {
    const real = join(this.path, name);
    const shown = this.#context.show(real);
    try {
      const { grants, workspace } = this.#context;
      const checked = await openChecked(join(anchorOf(this.#handle, this.path), name), { real, shown, workspace, grants });
      return await toOpen(checked, this.#context);
    } catch (error) {
      throw toFileAccessError(error, shown);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close();
  }
}

/** Wraps an opened handle by its type. */
export async function toOpen(checked: Checked, context: OpenContext): Promise<OpenFile | OpenFolder> {
  if (checked.stats.isDirectory()) return new OpenFolder(checked, context);
  const { handle, path, stats, decision } = checked;
  try {
    const untrusted = decision.untrusted || (await context.isUntrusted(path));
    return new OpenFile(handle, { path, shown: context.show(path), untrusted, stats });
  } catch (error) {
    await handle.close();
    throw error;
  }
}
