import { randomUUID } from "node:crypto";
import { constants, lstat, mkdir, open, rename, rm, type FileHandle } from "node:fs/promises";
import { basename, dirname, join, relative, sep } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import { FileAccessError, systemCode } from "./file-access-error.ts";
import { openChecked, requireGranted } from "./open-checked.ts";
import { isSameVersion, toVersion, type FileVersion } from "./open-file.ts";
import type { OpenContext } from "./open-folder.ts";
import { anchorOf } from "./opened-path.ts";

const CREATE_FLAGS = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW;
const DEFAULT_MODE = 0o666;
const MODE_BITS = 0o7777;

/**
 * Writes `data` to the real path `target`: to a temporary file, flushed, then renamed over it, so that a reader sees the old file or the new one. Missing
 * folders are created below `ancestor`, the nearest existing one. An existing file keeps its mode.
 */
export async function replaceFile(
  target: string,
  data: string,
  options: { readonly ancestor: string; readonly context: OpenContext; readonly unchangedSince?: FileVersion },
): Promise<void> {
  const { context, unchangedSince } = options;
  const folder = await openFolderChain(options.ancestor, dirname(target), context);
  try {
    // The handle, not the name, determines where the file will be.
    await requireWritable(join(folder.path, basename(target)), context);
    const anchor = anchorOf(folder.handle, folder.path);
    await writeBeside(join(anchor, basename(target)), data, {
      anchor,
      shown: context.show(target),
      ...withoutUndefined({ unchangedSince }),
    });
    await folder.handle.sync();
  } finally {
    await folder.handle.close();
  }
}

/** Refuses a path that may not be written. */
export async function requireWritable(path: string, context: OpenContext): Promise<void> {
  const shown = context.show(path);
  const decision = requireGranted(await context.grants.decide(path), shown, context.workspace);
  if (!decision.writable)
    throw new FileAccessError("read-only", `${shown} may be read but not changed: only the workspace and writable roots may.`);
}

interface ChainFolder {
  readonly handle: FileHandle;
  readonly path: string;
}

/** Opens `folder` step by step from an existing ancestor, creating what is missing. */
async function openFolderChain(ancestor: string, folder: string, context: OpenContext): Promise<ChainFolder> {
  const { grants, workspace, show } = context;
  const openStep = async (name: string, real: string): Promise<ChainFolder> => {
    const checked = await openChecked(name, { real, shown: show(real), workspace, grants });
    if (checked.stats.isDirectory()) return checked;
    await checked.handle.close();
    throw new FileAccessError("not-a-folder", `${show(real)} is a file, so nothing can be put into it.`);
  };
  let current = await openStep(ancestor, ancestor);
  for (const name of relative(ancestor, folder)
    .split(sep)
    .filter((part) => part !== "")) {
    const parent = current;
    try {
      const real = join(parent.path, name);
      await requireWritable(real, context);
      const anchored = join(anchorOf(parent.handle, parent.path), name);
      await makeFolder(anchored);
      current = await openStep(anchored, real);
    } finally {
      await parent.handle.close();
    }
  }
  return current;
}

async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path);
  } catch (error) {
    if (systemCode(error) !== "EEXIST") throw error;
  }
}

async function writeBeside(
  place: string,
  data: string,
  options: { readonly anchor: string; readonly shown: string; readonly unchangedSince?: FileVersion },
): Promise<void> {
  const mode = await modeOfExisting(place, options);
  // The name identifies the writing process: the gateway's next start removes leftovers of a killed one.
  const temporary = join(options.anchor, `.factotum-${process.pid}-${randomUUID()}.tmp`);
  const file = await open(temporary, CREATE_FLAGS, mode ?? DEFAULT_MODE);
  try {
    try {
      await file.writeFile(data);
      if (mode !== undefined) await file.chmod(mode);
      await file.sync();
    } finally {
      await file.close();
    }
    // Checked again, as late as possible: a concurrent write must not be overwritten unseen.
    if (options.unchangedSince !== undefined) await modeOfExisting(place, options);
    await rename(temporary, place);
  } catch (error) {
    await rm(temporary, { force: true });
    throw error;
  }
}

/** The mode of the file to be replaced; undefined if it does not exist. */
async function modeOfExisting(
  place: string,
  options: { readonly shown: string; readonly unchangedSince?: FileVersion },
): Promise<number | undefined> {
  const { shown, unchangedSince } = options;
  const stats = await lstat(place, { bigint: true }).catch((error: unknown) => {
    if (systemCode(error) === "ENOENT") return undefined;
    throw error;
  });
  if (unchangedSince !== undefined && (stats === undefined || !isSameVersion(toVersion(stats), unchangedSince))) {
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
