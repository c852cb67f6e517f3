import { access, constants, statfs } from "node:fs/promises";
import { ok, type Finding } from "./finding.ts";

/** The gateway accepts no messages without its reserve (16 MiB, and 8 MiB of further space). */
const FULL_BYTES: number = 24 * 1024 * 1024;
const NEARLY_FULL_BYTES: number = 512 * 1024 * 1024;
const MB: number = 1024 * 1024;

/** Whether the disk of the state directory can be written, and its free space. */
export async function checkDisk(home: string): Promise<readonly Finding[]> {
  try {
    if (await isReadOnlyDisk(home)) {
      const message = `The disk of ${home} is read-only: a gateway can store nothing there.`;
      const fix = "Mount it writable. If it became read-only by itself, check the disk first: the system's log says why.";
      return [{ check: "disk", level: "error", message, fix }];
    }
    const { bavail, bsize, files, ffree } = await statfs(home);
    const free = bavail * bsize;
    const room = `${Math.floor(free / MB)} MB are free on the disk of ${home}`;
    const fix = "Remove what you do not need there; a gateway that runs goes on by itself.";
    if (files > 0 && ffree === 0) return [{ check: "disk", level: "error", message: `The disk of ${home} can hold no more files.`, fix }];
    if (free < FULL_BYTES)
      return [{ check: "disk", level: "error", message: `The disk is full: ${room}, and no messages are taken.`, fix }];
    if (free < NEARLY_FULL_BYTES) return [{ check: "disk", level: "warning", message: `The disk is nearly full: ${room}.`, fix }];
    return [ok("disk", room)];
  } catch (error) {
    // There is no state directory yet, which another check reports.
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
    throw error;
  }
}

/** True if the file system of a path is mounted read-only; false for a path that does not exist. */
export async function isReadOnlyDisk(path: string): Promise<boolean> {
  return access(path, constants.W_OK).then(
    () => false,
    (error: unknown) => error instanceof Error && "code" in error && error.code === "EROFS",
  );
}
