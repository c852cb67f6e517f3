import { realpath, stat } from "node:fs/promises";
import type { ResolvedPath } from "./plan-mounts.ts";

/** Cannot be followed, so it cannot be shown either. */
const MISSING: ReadonlySet<unknown> = new Set(["ENOENT", "ENOTDIR", "EACCES", "ELOOP"]);

/** Resolves the symbolic links of paths; missing ones are left out. */
export async function resolvePaths(paths: readonly string[]): Promise<readonly ResolvedPath[]> {
  const found = await Promise.all(paths.map(resolvePath));
  return found.filter((path) => path !== undefined);
}

async function resolvePath(given: string): Promise<ResolvedPath | undefined> {
  try {
    const real = await realpath(given);
    return { given, real, kind: (await stat(real)).isDirectory() ? "folder" : "file" };
  } catch (error) {
    if (error instanceof Error && "code" in error && MISSING.has(error.code)) return undefined;
    throw error;
  }
}
