import type { Dirent } from "node:fs";
import { join, relative } from "node:path";
import { FileAccessError } from "../file-access/file-access-error.ts";
import type { OpenFile } from "../file-access/open-file.ts";
import type { OpenFolder } from "../file-access/open-folder.ts";
import type { IgnoreRules } from "./ignore-rules.ts";

const MAX_DEPTH = 64;
/** Entries read of one folder, without ignored ones. */
const MAX_ENTRIES = 20_000;
/** Entries filtered per batch. */
const BATCH_ENTRIES = 256;

/** A file or folder found by a walk. */
export interface WalkEntry {
  /** As shown to the model. */
  readonly shown: string;
  readonly isFolder: boolean;
  /** Absolute, and real when its folder was opened. */
  readonly path: string;
  /** Valid until the walk continues. The name may refer to something else by now: a folder, or nothing. */
  open(): Promise<OpenFile | OpenFolder>;
}

export interface WalkOptions {
  /** Undefined: nothing is ignored. */
  readonly rules: IgnoreRules | undefined;
  /** Which of these paths, relative to the start, are yielded. Called once per folder; every folder is entered regardless. */
  readonly select: (paths: readonly string[]) => readonly boolean[];
  readonly signal: AbortSignal;
}

/**
 * Walks a folder top-down, names in order. Symbolic links are neither followed nor yielded, `.git` is never entered, and every folder is checked when it is
 * opened, so the walk cannot leave what the run may read. An unreadable folder is skipped. Throws a SlowPatternError if the rules take too long to match.
 */
export async function* walkFolder(start: OpenFolder, options: WalkOptions): AsyncGenerator<WalkEntry> {
  yield* walk(start, { ...options, root: start.path, depth: 0 });
}

async function* walk(
  folder: OpenFolder,
  options: WalkOptions & { readonly root: string; readonly depth: number },
): AsyncGenerator<WalkEntry> {
  const { select, signal, root, depth } = options;
  const rules = await options.rules?.within(folder);
  const entries = await readEntries(folder, rules, signal);
  const selected = select(entries.map(({ name }) => relative(root, join(folder.path, name))));
  for (const [index, entry] of entries.entries()) {
    signal.throwIfAborted();
    const isFolder = entry.isDirectory();
    if (selected[index] === true) {
      const shown = folder.show(entry.name);
      yield { shown: isFolder ? `${shown}/` : shown, isFolder, path: join(folder.path, entry.name), open: () => folder.open(entry.name) };
    }
    if (!isFolder || depth >= MAX_DEPTH) continue;
    const child = await openFolder(folder, entry.name);
    if (child === undefined) continue;
    await using closing = child;
    yield* walk(closing, { ...options, rules, depth: depth + 1 });
  }
}

async function readEntries(folder: OpenFolder, rules: IgnoreRules | undefined, signal: AbortSignal): Promise<Dirent[]> {
  const entries: Dirent[] = [];
  let batch: Dirent[] = [];
  const keepBatch = async (): Promise<void> => {
    const ignored = await rules?.ignored(batch.map((entry) => ({ path: join(folder.path, entry.name), isFolder: entry.isDirectory() })));
    entries.push(...batch.filter((_, index) => ignored?.[index] !== true));
    batch = [];
  };
  for await (const entry of folder.entries()) {
    signal.throwIfAborted();
    if ((!entry.isDirectory() && !entry.isFile()) || entry.name === ".git") continue;
    batch.push(entry);
    if (batch.length >= BATCH_ENTRIES) await keepBatch();
    if (entries.length + batch.length >= MAX_ENTRIES) break;
  }
  await keepBatch();
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

async function openFolder(folder: OpenFolder, name: string): Promise<OpenFolder | undefined> {
  try {
    const opened = await folder.open(name);
    if (opened.type === "folder") return opened;
    await opened[Symbol.asyncDispose]();
    return undefined;
  } catch (error) {
    if (error instanceof FileAccessError) return undefined;
    throw error;
  }
}
