import { Buffer } from "node:buffer";
import { dirname, join, relative } from "node:path";
import ignore, { type Ignore } from "ignore";
import type { RunFiles } from "../file-access/create-file-access.ts";
import { FileAccessError } from "../file-access/file-access-error.ts";
import { isWithin } from "../file-access/grants.ts";
import type { OpenFile } from "../file-access/open-file.ts";
import type { OpenFolder } from "../file-access/open-folder.ts";

const MAX_RULES_BYTES = 256 * 1024;

interface Level {
  /** The folder whose `.gitignore` it is. Real. */
  readonly folder: string;
  readonly rules: Ignore;
}

/** What the `.gitignore` files from the repository's root down to one folder say. Immutable. */
export class IgnoreRules {
  /** Innermost first: the nearest file that says something decides. */
  readonly #levels: readonly Level[];

  private constructor(levels: readonly Level[]) {
    this.#levels = levels;
  }

  static readonly none: IgnoreRules = new IgnoreRules([]);

  /** The rules that come from above `folder`: up to the repository's root, and never beyond what the run may read. */
  static async above(folder: string, files: RunFiles): Promise<IgnoreRules> {
    const levels: Level[] = [];
    let current = folder;
    while (!(await holdsRepository(current, files))) {
      const parent = dirname(current);
      if (parent === current) break;
      const opened = await orUndefined(files.openFolder(parent));
      if (opened === undefined) break;
      await using closing = opened;
      const level = await levelOf(closing);
      if (level !== undefined) levels.push(level);
      current = parent;
    }
    const rules = new IgnoreRules(levels);
    // Whoever names an ignored folder means what is in it.
    return rules.ignores(folder, { isFolder: true }) ? IgnoreRules.none : rules;
  }

  /** These rules and those of the folder's own `.gitignore`. */
  async within(folder: OpenFolder): Promise<IgnoreRules> {
    const level = await levelOf(folder);
    return level === undefined ? this : new IgnoreRules([level, ...this.#levels]);
  }

  ignores(path: string, { isFolder }: { readonly isFolder: boolean }): boolean {
    for (const { folder, rules } of this.#levels) {
      if (path === folder || !isWithin(folder, path)) continue;
      const { ignored, unignored } = rules.test(relative(folder, path) + (isFolder ? "/" : ""));
      if (ignored || unignored) return ignored;
    }
    return false;
  }
}

async function holdsRepository(folder: string, files: RunFiles): Promise<boolean> {
  const opened = await orUndefined(files.open(join(folder, ".git")));
  await opened?.[Symbol.asyncDispose]();
  return opened !== undefined;
}

async function levelOf(folder: OpenFolder): Promise<Level | undefined> {
  const opened = await orUndefined(folder.open(".gitignore"));
  if (opened === undefined) return undefined;
  await using closing = opened;
  if (closing.type === "folder") return undefined;
  return { folder: folder.path, rules: ignore().add(await readRules(closing)) };
}

async function readRules(file: OpenFile): Promise<string> {
  const { bytesRead, buffer } = await file.handle.read(Buffer.allocUnsafe(MAX_RULES_BYTES), 0, MAX_RULES_BYTES, 0);
  return buffer.toString("utf8", 0, bytesRead);
}

/** What is not there, or not ours to see, gives no rules. */
async function orUndefined<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof FileAccessError) return undefined;
    throw error;
  }
}
