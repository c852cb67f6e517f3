import { mkdir, rmdir, type FileHandle } from "node:fs/promises";
import { join, relative, sep } from "node:path";
import { FileAccessError, systemCode } from "./file-access-error.ts";
import { openChecked, requireGranted } from "./open-checked.ts";
import type { OpenContext } from "./open-folder.ts";
import { anchorOf } from "./opened-path.ts";

/** An open, checked folder. */
export interface ChainFolder {
  readonly handle: FileHandle;
  /** Real. */
  readonly path: string;
}

/** Opens the folders of files that are about to change, and creates missing ones. What it created can be removed again. Close it with `await using`. */
export class FolderChains {
  readonly #context: OpenContext;
  readonly #opened: FileHandle[] = [];
  /** Paths under open handles, in the order of creation. */
  readonly #created: string[] = [];

  constructor(context: OpenContext) {
    this.#context = context;
  }

  /** Opens `folder` step by step from an existing ancestor. The handle stays open until this is disposed. */
  async open(ancestor: string, folder: string): Promise<ChainFolder> {
    let current = await this.#openStep(ancestor, ancestor);
    const names = relative(ancestor, folder)
      .split(sep)
      .filter((part) => part !== "");
    for (const name of names) {
      const real = join(current.path, name);
      await requireWritable(real, this.#context);
      const anchored = join(anchorOf(current.handle, current.path), name);
      if (await makeFolder(anchored)) this.#created.push(anchored);
      current = await this.#openStep(anchored, real);
    }
    return current;
  }

  /** Removes the folders that were created, unless something is in them. */
  async removeCreated(): Promise<void> {
    for (const folder of this.#created.splice(0).toReversed()) {
      try {
        await rmdir(folder);
      } catch (error) {
        // Used by something else meanwhile, or gone.
        if (!["ENOTEMPTY", "EEXIST", "ENOENT"].includes(systemCode(error) ?? "")) throw error;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const handle of this.#opened.splice(0)) await handle.close();
  }

  async #openStep(name: string, real: string): Promise<ChainFolder> {
    const { grants, workspace, show } = this.#context;
    const checked = await openChecked(name, { real, shown: show(real), workspace, grants });
    this.#opened.push(checked.handle);
    if (!checked.stats.isDirectory()) throw new FileAccessError("not-a-folder", `${show(real)} is a file, so nothing can be put into it.`);
    return checked;
  }
}

/** Refuses a path that may not be written. */
export async function requireWritable(path: string, context: OpenContext): Promise<void> {
  const shown = context.show(path);
  const decision = requireGranted(await context.grants.decide(path), shown, context.workspace);
  if (decision.writable) return;
  // The workspace is closed to changes by the sandbox alone.
  const why = decision.inWorkspace
    ? 'the sandbox of this session has the workspace read-only (workspaceAccess is "ro").'
    : "only the workspace and writable roots may.";
  throw new FileAccessError("read-only", `${shown} may be read but not changed: ${why}`);
}

/** True if it did not exist. */
async function makeFolder(path: string): Promise<boolean> {
  try {
    await mkdir(path);
    return true;
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
    return false;
  }
}
