import { readlinkSync } from "node:fs";
import { realpath, stat, type FileHandle } from "node:fs/promises";
import { FileAccessError } from "./file-access-error.ts";

const IS_LINUX = process.platform === "linux";

/**
 * The real path of an open handle, even if names were changed between the check and the opening. Linux reports it for the handle itself; elsewhere the path is
 * resolved again and must lead to the same file.
 */
export async function openedPath(
  handle: FileHandle,
  expected: string,
  options: { readonly viaProc: boolean } = { viaProc: IS_LINUX },
): Promise<string> {
  // The kernel knows it without disk access.
  if (options.viaProc) return readlinkSync(`/proc/self/fd/${handle.fd}`);
  const [opened, named, path] = await Promise.all([handle.stat({ bigint: true }), stat(expected, { bigint: true }), realpath(expected)]);
  if (opened.dev !== named.dev || opened.ino !== named.ino) {
    throw new FileAccessError("changed", `${expected} was replaced while it was opened; try again.`);
  }
  return path;
}

/** A path under which the entries of an open folder are found, even if the folder's own name was reused. */
export function anchorOf(handle: FileHandle, path: string): string {
  return IS_LINUX ? `/proc/self/fd/${handle.fd}` : path;
}
