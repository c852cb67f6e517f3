import { createHash } from "node:crypto";
import { createReadStream } from "node:fs";
import { access, constants, realpath, stat } from "node:fs/promises";
import path from "node:path";
import { pipeline } from "node:stream/promises";
import type { ShellText } from "./shell-text.ts";

/** Programs that run the file which their first argument names. */
const INTERPRETERS = /^(?:sh|bash|dash|zsh|ksh|fish|node|deno|bun|perl|ruby|php|lua|Rscript|python(?:[0-9.]+)?|pypy(?:3)?)$/;

/** A file that a command runs, with what it held when it was looked at. */
export interface BoundFile {
  /** Absolute, symbolic links resolved. */
  readonly path: string;
  /** SHA-256 of the content. */
  readonly digest: string;
}

interface SearchOptions {
  readonly cwd: string;
  /** Folders of programs, as in the variable PATH. */
  readonly searchPath: string;
}

/**
 * The programs that a command runs, and the scripts that it gives to interpreters. A name that is no file, such as a builtin of the shell, has none. Of a text
 * that does not parse, nothing is known.
 */
export async function boundFiles(text: ShellText, options: SearchOptions): Promise<readonly BoundFile[]> {
  const commands = text.type === "argv" ? [text.argv] : text.type === "script" ? text.commands : [];
  const found = new Map<string, BoundFile>();
  for (const [name = "", ...args] of commands) {
    const program = await findProgram(name, options);
    const script = INTERPRETERS.test(path.basename(name)) ? args.find((arg) => !arg.startsWith("-")) : undefined;
    const file = script === undefined || script === "" ? undefined : path.resolve(options.cwd, script);
    for (const candidate of [program, file]) {
      const bound = candidate === undefined ? undefined : await bind(candidate);
      if (bound !== undefined) found.set(bound.path, bound);
    }
  }
  return [...found.values()].toSorted((one, other) => (one.path < other.path ? -1 : 1));
}

/** The file of a program, as the system finds it. */
async function findProgram(name: string, { cwd, searchPath }: SearchOptions): Promise<string | undefined> {
  if (name === "") return undefined;
  if (name.includes("/")) return path.resolve(cwd, name);
  for (const folder of searchPath.split(path.delimiter)) {
    const file = path.resolve(cwd, folder, name);
    const isProgram = await access(file, constants.X_OK).then(
      async () => (await stat(file)).isFile(),
      () => false,
    );
    if (isProgram) return file;
  }
  return undefined;
}

async function bind(file: string): Promise<BoundFile | undefined> {
  try {
    const real = await realpath(file);
    if (!(await stat(real)).isFile()) return undefined;
    const hash = createHash("sha256");
    await pipeline(createReadStream(real), hash);
    return { path: real, digest: hash.digest("hex") };
  } catch {
    // It does not exist or cannot be read; the command will say so.
    return undefined;
  }
}
