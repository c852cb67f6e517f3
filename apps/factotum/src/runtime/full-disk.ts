import { stat, statfs } from "node:fs/promises";
import { dirname } from "node:path";
import { CliError } from "./cli-error.ts";

/** With less than this even an existing database cannot be opened. */
const FULL_BYTES: number = 1024 * 1024;

/** Why a gateway cannot start in this state directory: its disk is full. `undefined` if it has space, or does not exist. */
export async function describeFullDisk(home: string): Promise<string | undefined> {
  const facts = await statfs(home).catch(() => undefined);
  if (facts === undefined) return undefined;
  const { bavail, bsize, files, ffree } = facts;
  const free = bavail * bsize;
  if (free >= FULL_BYTES && (files === 0 || ffree > 0)) return undefined;
  const room = free < FULL_BYTES ? `${free} bytes are free` : "it can hold no more files";
  return `The disk is full: ${room} on the file system ${await mountPointOf(home)}, on which ${home} stands.`;
}

/** The error of a start that failed on a full disk; `undefined` if the disk is not full. */
export async function fullDiskError(home: string, cause: unknown): Promise<CliError | undefined> {
  const message = await describeFullDisk(home);
  return message === undefined ? undefined : new CliError("failure", message, { fix: FREE_SPACE, cause });
}

/** What to do. */
export const FREE_SPACE =
  "Free some space there, then start the gateway again: it continues with unfinished work. An installed service starts again by itself.";

async function mountPointOf(path: string): Promise<string> {
  const parent = dirname(path);
  if (parent === path || (await stat(parent)).dev !== (await stat(path)).dev) return path;
  return mountPointOf(parent);
}
