import { access, constants, lstat, mkdir, readlink, stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";

/** The types of /proc and /sys, in which even root creates nothing. */
const KERNEL_FILE_SYSTEMS: ReadonlySet<number> = new Set([0x9f_a0, 0x62_65_65_72]);

/** A folder that cannot be created; the message says why. */
export class FolderError extends Error {
  /** Why, without the path: "/proc takes no new folders". */
  readonly reason: string;

  constructor(path: string, reason: string, options: ErrorOptions = {}) {
    super(`${path} cannot be made (${reason})`, options);
    this.name = "FolderError";
    this.reason = reason;
  }
}

/**
 * Creates a folder and its missing parents with mode 700; an existing one is kept. Rejects with a `FolderError`. A recursive `mkdir` of Node would never end on a
 * file system that reports ENOENT for a new folder in an existing one, such as /proc.
 */
export async function makeFolder(path: string): Promise<void> {
  try {
    await mkdir(path, { mode: 0o700 });
    return;
  } catch (error) {
    const code = (error as NodeJS.ErrnoException).code;
    if (await isFolder(path)) return;
    const obstacle = await obstacleAt(path);
    if (obstacle !== undefined) throw new FolderError(path, obstacle, { cause: error });
    const parent = dirname(path);
    if (code !== "ENOENT") throw new FolderError(path, reasonOf(code, parent), { cause: error });
    // Somebody else may have created the parent in between.
    if (!(await isFolder(parent))) await makeParent(path, parent);
  }
  try {
    await mkdir(path, { mode: 0o700 });
  } catch (error) {
    // Another process may have created it in between.
    if (await isFolder(path)) return;
    throw new FolderError(path, reasonOf((error as NodeJS.ErrnoException).code, dirname(path)), { cause: error });
  }
}

/** Why `makeFolder` would fail, as far as that shows without creating anything. */
export async function folderObstacle(path: string): Promise<string | undefined> {
  const obstacle = await obstacleAt(path);
  if (obstacle !== undefined) return obstacle;
  if (!(await isFolder(path))) return path === dirname(path) ? undefined : folderObstacle(dirname(path));
  try {
    await access(path, constants.W_OK | constants.X_OK);
  } catch (error) {
    return reasonOf((error as NodeJS.ErrnoException).code, path);
  }
  return process.platform === "linux" && KERNEL_FILE_SYSTEMS.has((await statfs(path)).type) ? reasonOf("ENOENT", path) : undefined;
}

/** What stands in the place of a folder: a file, or a link to nothing. `undefined` if nothing does. */
async function obstacleAt(path: string): Promise<string | undefined> {
  const facts = await lstat(path).catch(() => undefined);
  if (facts === undefined || facts.isDirectory()) return undefined;
  if (!facts.isSymbolicLink()) return `${path} is not a folder`;
  if (await isFolder(path)) return undefined;
  return `${path} is a link to ${await readlink(path)}, which is not a folder that exists`;
}

async function makeParent(path: string, parent: string): Promise<void> {
  try {
    await makeFolder(parent);
  } catch (error) {
    throw error instanceof FolderError ? new FolderError(path, error.reason, { cause: error }) : error;
  }
}

async function isFolder(path: string): Promise<boolean> {
  return stat(path).then(
    (facts) => facts.isDirectory(),
    () => false,
  );
}

function reasonOf(code: string | undefined, parent: string): string {
  switch (code) {
    case "ENOENT":
      return `${parent} takes no new folders`;
    case "EACCES":
    case "EPERM":
      return `this user may not write in ${parent}`;
    case "ENOTDIR":
      return `${parent} is not a folder`;
    case "EROFS":
      return `${parent} can only be read`;
    case "ENOSPC":
      return "the disk is full";
    default:
      return code ?? "unknown error";
  }
}
