import { refusedSource } from "./install-error.ts";

const MAX_PATH_CHARS = 500;
const MAX_SEGMENT_BYTES = 200;
const MAX_DEPTH = 12;

/**
 * The path of an archive's entry, relative to the folder that it is unpacked into, without a leading `./` and a final slash; empty for that folder itself. Throws a
 * SkillInstallError for a path that leaves the folder, or that another system would read differently.
 */
export function entryPath(name: string): string {
  const shown = JSON.stringify(name.slice(0, MAX_PATH_CHARS));
  if (name.length > MAX_PATH_CHARS) throw refusedSource(`a path has more than ${MAX_PATH_CHARS} characters`);
  if (/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]/u.test(name)) throw refusedSource(`the path ${shown} has control characters`);
  if (!name.isWellFormed() || name.includes("\uFFFD")) throw refusedSource(`the path ${shown} is not valid UTF-8`);
  if (name.includes("\\")) throw refusedSource(`the path ${shown} has a backslash`);
  if (name.startsWith("/") || /^[A-Za-z]:/.test(name)) throw refusedSource(`the path ${shown} is absolute`);
  const segments = name
    .replace(/^(\.\/+)+/, "")
    .replace(/\/+$/, "")
    .split("/");
  if (segments.length === 1 && (segments[0] === "" || segments[0] === ".")) return "";
  for (const segment of segments) {
    if (segment === "..") throw refusedSource(`the path ${shown} leaves its folder`);
    if (segment === "" || segment === ".") throw refusedSource(`the path ${shown} has an empty part`);
    if (/[. ]$/.test(segment)) throw refusedSource(`a part of the path ${shown} ends in a dot or a space`);
    if (Buffer.byteLength(segment) > MAX_SEGMENT_BYTES) throw refusedSource(`a part of the path ${shown} is too long`);
  }
  if (segments.length > MAX_DEPTH) throw refusedSource(`the path ${shown} is more than ${MAX_DEPTH} folders deep`);
  return segments.join("/");
}

/** True for what version control and desktops leave in folders; it is not installed. */
export function isIgnoredEntry(path: string): boolean {
  return path.split("/").some((segment) => segment === ".git" || segment === ".DS_Store" || segment === "__MACOSX");
}
