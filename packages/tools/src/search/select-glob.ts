import { GuardedMatch } from "./guarded-match.ts";

/** A glob that cannot be read. */
export class GlobError extends Error {
  constructor(glob: string, options?: ErrorOptions) {
    super(`${JSON.stringify(glob)} is not a valid glob.`, options);
    this.name = "GlobError";
  }
}

/**
 * Makes a path filter from a glob: one without `/` matches names at any depth, one with `/` whole paths from the start. `*`, `**`, `?`, `[…]` and `{a,b}`;
 * hidden names match like others.
 */
export async function selectGlob(glob: string): Promise<(paths: readonly string[]) => readonly boolean[]> {
  const byName = !glob.includes("/");
  const match = new GuardedMatch(await toRegExp(glob.replace(/^\.\//, "")));
  return (paths) => match.testAll(byName ? paths.map((path) => path.slice(path.lastIndexOf("/") + 1)) : paths);
}

async function toRegExp(glob: string): Promise<RegExp> {
  const { default: picomatch } = await import("picomatch");
  try {
    return picomatch.makeRe(glob, { dot: true, noextglob: true, strictBrackets: true });
  } catch (error) {
    throw new GlobError(glob, { cause: error });
  }
}
