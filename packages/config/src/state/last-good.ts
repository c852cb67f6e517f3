import { readFile, realpath } from "node:fs/promises";
import { extname, join } from "node:path";
import { hashOf } from "../document/hash-of.ts";
import { writePrivateFile } from "./atomic-file.ts";
import { isDefaultLocation } from "./locate-config.ts";
import type { StatePaths } from "./state-paths.ts";

const ENDINGS = [".json5", ".json", ".yaml", ".yml"];

/** A copy of a configuration with which the gateway has started. */
export interface LastGoodCopy {
  readonly path: string;
  readonly text: string;
}

/** What a copy was made of. It stands in a file of its own, so that the copy is the configuration as it was and a person can copy it back. */
interface CopySource {
  /** The real path, so that a link that leads elsewhere now is another file. */
  readonly path: string;
  /** SHA-256 of the copy: a copy that a crash has left with the source of another one does not count. */
  readonly hash: string;
}

/** Keeps `text` as the last good copy of the file at `configPath`. */
export async function writeLastGood(paths: StatePaths, configPath: string, text: string): Promise<void> {
  const copy = copyPath(paths, configPath);
  const source: CopySource = { path: await realPathOf(configPath), hash: hashOf(text) };
  await writePrivateFile(sourcePath(copy), `${JSON.stringify(source)}\n`);
  await writePrivateFile(copy, text);
}

/**
 * The last good copy of the file at `configPath`; a copy of any other file does not count, since it can allow what this one forbids. A copy
 * without a source, which earlier versions made, counts for the default files only.
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

async function realPathOf(path: string): Promise<string> {
  try {
    return await realpath(path);
  } catch (error) {
    // A file that may not be looked at has the path by which it is named.
    if (error instanceof Error) return path;
    throw error;
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
