import { dirname, basename, join } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import { FileAccessError, toFileAccessError } from "./file-access-error.ts";
import { FolderChains, requireWritable } from "./folder-chains.ts";
import type { FileVersion } from "./open-file.ts";
import type { OpenContext } from "./open-folder.ts";
import { StagedFile, type StagedChange } from "./staged-file.ts";

/** A change at a resolved path. */
export interface PlacedChange {
  readonly change: StagedChange;
  /** Real, except for parts that do not exist yet. */
  readonly target: string;
  /** The nearest folder above it that exists. Real. */
  readonly ancestor: string;
  readonly unchangedSince?: FileVersion | "absent";
}

/**
 * Makes all of the changes or none: every new content is first written next to its file and flushed, then the files are renamed one after another; if one cannot
 * be, the others are put back. A reader sees an old file or a new one, never a part. Missing folders are created. A kill between two renames leaves the rest
 * unchanged.
 */
export async function changeFiles(changes: readonly PlacedChange[], context: OpenContext): Promise<void> {
  await using folders = new FolderChains(context);
  const staged: StagedFile[] = [];
  try {
    for (const change of changes) staged.push(await stage(change, folders, context));
    await makeAll(staged);
  } catch (error) {
    for (const file of staged) await file.discard();
    await folders.removeCreated();
    throw error;
  }
  for (const file of staged) await file.finish();
}

async function stage(
  { change, target, ancestor, unchangedSince }: PlacedChange,
  folders: FolderChains,
  context: OpenContext,
): Promise<StagedFile> {
  const shown = context.show(target);
  try {
    const folder = await folders.open(ancestor, dirname(target));
    // The handle, not the name, determines where the file will be.
    await requireWritable(join(folder.path, basename(target)), context);
    return await StagedFile.create(change, { folder, target, shown, ...withoutUndefined({ unchangedSince }) });
  } catch (error) {
    throw toFileAccessError(error, shown);
  }
}

async function makeAll(staged: readonly StagedFile[]): Promise<void> {
  const made: StagedFile[] = [];
  for (const file of staged) {
    try {
      await file.make({ canUndo: staged.length > 1 });
      made.push(file);
    } catch (error) {
      const failure = toFileAccessError(error, file.shown);
      const stuck = await undoAll(made);
      if (stuck.length === 0) throw failure;
      throw new FileAccessError(failure.code, `${failure.message} These files were changed all the same: ${stuck.join(", ")}.`, {
        cause: error,
      });
    }
  }
}

/** The files that could not be put back. */
async function undoAll(made: readonly StagedFile[]): Promise<readonly string[]> {
  const stuck: string[] = [];
  for (const file of made.toReversed()) {
    try {
      await file.undo();
    } catch (error) {
      // Named in the error that ended the change; the cause of that one is the reason.
      if (!(error instanceof Error)) throw error;
      stuck.push(file.shown);
    }
  }
  return stuck;
}
