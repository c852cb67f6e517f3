import { fstatSync, type BigIntStats, type Stats } from "node:fs";
import { constants, lstat, open, type FileHandle } from "node:fs/promises";
import { FileAccessError } from "./file-access-error.ts";
import type { Decision, Grants } from "./grants.ts";
import { openedPath } from "./opened-path.ts";

/** A handle whose real path was checked against the grants. */
export interface Checked {
  readonly handle: FileHandle;
  readonly stats: BigIntStats;
  /** Real path of the open handle. */
  readonly path: string;
  readonly decision: Extract<Decision, { readonly type: "granted" }>;
}

// NONBLOCK: a FIFO that replaced a file must not block us. No flag of these creates or changes anything.
const FILE_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK | constants.O_NOCTTY;
const FOLDER_FLAGS = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_DIRECTORY;

/** Refuses what the grants do not cover, with a message for the model. */
export function requireGranted(decision: Decision, shown: string, workspace: string): Extract<Decision, { readonly type: "granted" }> {
  switch (decision.type) {
    case "granted":
      return decision;
    case "outside":
      throw new FileAccessError(
        "outside",
        `${shown} is outside the folders that file tools may use: ${workspace}, skills, the documentation, received files, and the roots in tools.fs.roots.`,
      );
    case "reserved":
      throw new FileAccessError("reserved", `${shown} belongs to the assistant's own state or configuration, which is closed to tools.`);
  }
}

/**
 * Opens `name` (a current path of the file) without following a last symbolic link, and checks the real path of the handle. Devices, sockets and FIFOs are
 * refused before they are opened. The caller owns the handle. `stats` were read a moment ago.
 */
export async function openChecked(
  name: string,
  at: { readonly real: string; readonly shown: string; readonly workspace: string; readonly grants: Grants },
  stats?: Stats,
): Promise<Checked> {
  const before = stats ?? (await lstat(name));
  if (!before.isFile() && !before.isDirectory()) throw notRegular(before, at.shown);
  const handle = await open(name, before.isDirectory() ? FOLDER_FLAGS : FILE_FLAGS);
  try {
    const opened = fstatSync(handle.fd, { bigint: true });
    if (!opened.isFile() && !opened.isDirectory()) throw notRegular(opened, at.shown);
    const path = await openedPath(handle, at.real);
    return { handle, stats: opened, path, decision: requireGranted(await at.grants.decide(path), at.shown, at.workspace) };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

interface Kind {
  isSymbolicLink(): boolean;
  isFIFO(): boolean;
  isSocket(): boolean;
}

function notRegular(stats: Kind, shown: string): FileAccessError {
  if (stats.isSymbolicLink()) return new FileAccessError("changed", `${shown} became a symbolic link while it was opened; try again.`);
  const kind = stats.isFIFO() ? "a named pipe" : stats.isSocket() ? "a socket" : "a device";
  return new FileAccessError("not-a-file", `${shown} is ${kind}, not a file or folder.`);
}
