import { readFile, realpath } from "node:fs/promises";
import { basename, dirname, extname, join } from "node:path";
import { hashOf } from "../document/hash-of.ts";
import { writePrivateFile } from "./atomic-file.ts";
import { isDefaultLocation } from "./locate-config.ts";
import type { StatePaths } from "./state-paths.ts";

const ENDINGS = [".json5", ".json", ".yaml", ".yml"];

/** A copy of a configuration that the gateway has started with. */
export interface LastGoodCopy {
  readonly path: string;
  readonly text: string;
}

/** The source of a copy. Stored in a separate file, so that the copy is the unchanged configuration and a person can copy it back. */
interface CopySource {
  /** The real path, so that a redirected link counts as another file. */
  readonly path: string;
  /** SHA-256 of the copy: a copy that a crash left with the source of another one is ignored. */
  readonly hash: string;
}

/** Stores `text` as the last good copy of the file at `configPath`. */
export async function writeLastGood(paths: StatePaths, configPath: string, text: string): Promise<void> {
  const copy = copyPath(paths, configPath);
  const source: CopySource = { path: await realPathOf(configPath), hash: hashOf(text) };
  await writePrivateFile(sourcePath(copy), `${JSON.stringify(source)}\n`);
  await writePrivateFile(copy, text);
}

/**
 * The last good copy of the file at `configPath`; a copy of any other file is ignored, since it may allow what this one forbids. A copy without a source, from
 * an earlier version, counts for the default files only.
 */
export async function readLastGood(paths: StatePaths, configPath: string): Promise<LastGoodCopy | undefined> {
  const path = copyPath(paths, configPath);
  const text = await readIfThere(path);
  if (text === undefined) return undefined;
  const written = await readIfThere(sourcePath(path));
  if (written === undefined) return isDefaultLocation(paths, configPath) ? { path, text } : undefined;
  const source = parseSource(written);
  return source?.hash === hashOf(text) && source.path === (await realPathOf(configPath)) ? { path, text } : undefined;
}

/** What can replace a missing file. */
export interface CopiesOfMissing {
  /** Its only copy, with the file that it was made of: among the default files possibly another extension than the expected one. */
  readonly copy?: LastGoodCopy & { readonly original: string };
  /** Every copy, regardless of its source. */
  readonly paths: readonly string[];
}

/** Searches for copies of a missing file. If no file was named (`isNamed`), one of any default file counts, unless there are several. */
export async function readCopiesOfMissing(
  paths: StatePaths,
  configPath: string,
  { isNamed }: { readonly isNamed: boolean },
): Promise<CopiesOfMissing> {
  const there: string[] = [];
  const own: NonNullable<CopiesOfMissing["copy"]>[] = [];
  for (const ending of ENDINGS) {
    const sibling = isNamed ? configPath : join(paths.home, `factotum${ending}`);
    const path = copyPath(paths, `x${ending}`);
    if ((await readIfThere(path)) === undefined) continue;
    there.push(path);
    const copy = copyPath(paths, sibling) === path ? await readLastGood(paths, sibling) : undefined;
    if (copy !== undefined) own.push({ ...copy, original: sibling });
  }
  const [copy, ...others] = own;
  return { paths: there, ...(copy === undefined || others.length > 0 ? {} : { copy }) };
}

function copyPath(paths: StatePaths, configPath: string): string {
  const ending = extname(configPath).toLowerCase();
  return join(paths.stateFolder, `config.last-good${ENDINGS.includes(ending) ? ending : ".json5"}`);
}

function sourcePath(copy: string): string {
  return `${copy}.source`;
}

function parseSource(text: string): Partial<CopySource> | undefined {
  try {
    return JSON.parse(text) as Partial<CopySource>;
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

/** For a missing or inaccessible file, the name in the real folder; if that is unknown too, the path as given. */
async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    if (!(error instanceof Error)) throw error;
    const folder = dirname(path);
    return folder === path ? path : join(await realPathOf(folder), basename(path));
  }
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, "utf8");
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOENT") return undefined;
    throw error;
  }
}
