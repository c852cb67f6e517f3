import { Buffer } from "node:buffer";
import { join, resolve } from "node:path";
import { FileAccessError } from "./file-access-error.ts";

const MAX_PATH_BYTES = 4_095;
const MAX_NAME_BYTES = 255;
/** Each folder of a path is opened and checked by itself. */
const MAX_FOLDERS = 200;

/** Converts a model's path to an absolute path without `.` and `..`. Relative paths start at the workspace. Pure. */
export function parsePath(text: string, options: { readonly workspace: string; readonly userHome?: string }): string {
  if (text.trim() === "") throw new FileAccessError("invalid-path", "The path is empty; use `.` for the workspace.");
  if (text.includes("\0")) throw new FileAccessError("invalid-path", "The path holds a NUL character.");
  const path = resolve(options.workspace, expandHome(text, options.userHome));
  const names = path.split("/");
  if (names.length > MAX_FOLDERS)
    throw new FileAccessError("invalid-path", `The path has more than ${MAX_FOLDERS} folders: ${text.slice(0, 80)}…`);
  const tooLong = Buffer.byteLength(path) > MAX_PATH_BYTES || names.some((name) => Buffer.byteLength(name) > MAX_NAME_BYTES);
  if (tooLong) throw new FileAccessError("invalid-path", `The path is too long: ${text.slice(0, 80)}…`);
  return path;
}

function expandHome(text: string, userHome: string | undefined): string {
  if (text !== "~" && !text.startsWith("~/")) return text;
  if (userHome === undefined)
    throw new FileAccessError("invalid-path", "`~` is not known here; give the path from the workspace or an absolute one.");
  return join(userHome, text.slice(1));
}
