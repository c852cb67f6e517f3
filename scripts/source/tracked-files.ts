import { execFileSync } from "node:child_process";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { ROOT } from "../workspace.ts";

/** Every file that is, or is about to be, in version control, relative to the root, sorted; `patterns` are git's pathspecs. */
export function trackedFiles(...patterns: readonly string[]): string[] {
  const args = ["ls-files", "-z", "--cached", "--others", "--exclude-standard", "--", ...patterns];
  const listed = execFileSync("git", args, { cwd: ROOT, encoding: "utf8", maxBuffer: 64 * 1024 * 1024 });
  const files = new Set(listed.split("\0").filter((file) => file !== ""));
  // A file that was deleted and not committed yet is still listed.
  return [...files].filter((file) => existsSync(join(ROOT, file))).sort();
}
