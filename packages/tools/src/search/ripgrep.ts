import { execFile } from "node:child_process";
import { access, constants } from "node:fs/promises";
import path from "node:path";
import type { TextFinder, TextQuery } from "./text-finder.ts";

const TIMEOUT_MS = 10_000;
/** The names of all files of a query fit. */
const MAX_OUTPUT_BYTES = 16 * 1024 * 1024;
const FOUND = 0;
const NOT_FOUND = 1;

/** Options of the finder. */
export interface RipgrepOptions {
  /** The folders in which `rg` is looked for, as in PATH. */
  readonly searchPath: string;
}

/**
 * Finds texts with `rg`, if it is installed. It is given every file by name and searches the bytes as they are, so its own rules for ignored, hidden and binary
 * files do not matter, and neither does its configuration.
 */
export function createRipgrep({ searchPath }: RipgrepOptions): TextFinder {
  let program: Promise<string | undefined> | undefined;
  return async (query, { signal }) => {
    program ??= findProgram(searchPath);
    const found = await program;
    signal.throwIfAborted();
    const names = found === undefined ? undefined : await run(found, query, signal);
    signal.throwIfAborted();
    return names === undefined ? undefined : new Set(names);
  };
}

async function findProgram(searchPath: string): Promise<string | undefined> {
  for (const folder of searchPath.split(path.delimiter)) {
    const candidate = path.join(folder, "rg");
    if (!path.isAbsolute(candidate)) continue;
    try {
      await access(candidate, constants.X_OK);
      return candidate;
    } catch {
      // The next folder may have it.
    }
  }
  return undefined;
}

/** The names of the files with the text; `undefined` after any failure, such as one file that cannot be read. */
function run(program: string, { text, ignoreCase, files }: TextQuery, signal: AbortSignal): Promise<readonly string[] | undefined> {
  const how = ["--no-config", "--files-with-matches", "--null", "--text", "--encoding", "none", "--fixed-strings"];
  const args = [...how, ignoreCase ? "--ignore-case" : "--case-sensitive", "--regexp", text, "--", ...files];
  const { promise, resolve } = Promise.withResolvers<readonly string[] | undefined>();
  const options = { env: {}, signal, timeout: TIMEOUT_MS, killSignal: "SIGKILL", maxBuffer: MAX_OUTPUT_BYTES } as const;
  const child = execFile(program, args, options, (error, stdout) => {
    const exitCode = error === null ? FOUND : error.code;
    resolve(exitCode === FOUND || exitCode === NOT_FOUND ? stdout.split("\0").filter((name) => name !== "") : undefined);
  });
  child.stdin?.end();
  return promise;
}
