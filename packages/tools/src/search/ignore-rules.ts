import { Buffer } from "node:buffer";
import { dirname, join, relative } from "node:path";
import { setImmediate } from "node:timers/promises";
import ignore, { type Ignore } from "ignore";
import type { RunFiles } from "../file-access/create-file-access.ts";
import { FileAccessError } from "../file-access/file-access-error.ts";
import { isWithin } from "../file-access/grants.ts";
import type { OpenFolder } from "../file-access/open-folder.ts";
import { SlowPatternError } from "./guarded-match.ts";
import { TimeGuard } from "./time-guard.ts";

/** Maximum total size of the `.gitignore` files from the root down to one folder: every rule becomes a pattern in memory. */
const MAX_RULES_BYTES = 64 * 1024;
/** A longer rule is skipped: no path needs it, and the engine limits the length of a pattern. */
const MAX_RULE_CHARS = 1_000;
/** How often a batch of paths may be interrupted and continue. Many rules are slow the first time; endless rules are slower than that. */
const MAX_CUTS = 5;

interface Level {
  /** The folder of the `.gitignore` file. Real. */
  readonly folder: string;
  /** The file, as shown to the model. */
  readonly shown: string;
  readonly rules: Ignore;
  readonly bytes: number;
}

/** An entry of a folder. */
export interface IgnoreCandidate {
  /** Real. */
  readonly path: string;
  readonly isFolder: boolean;
}

/** The combined `.gitignore` files from the repository's root down to one folder. Immutable. */
export class IgnoreRules {
  /** Innermost first: the nearest file with a matching rule decides. */
  readonly #levels: readonly Level[];
  readonly #guard: TimeGuard;

  private constructor(levels: readonly Level[], guard: TimeGuard) {
    this.#levels = levels;
    this.#guard = guard;
  }

  /**
   * The rules from above `folder`: up to the repository's root, and never beyond what the run may read. Throws a SlowPatternError if they take too long to
   * match.
   */
  static async above(folder: string, files: RunFiles): Promise<IgnoreRules> {
    const levels: Level[] = [];
    let current = folder;
    while (!(await holdsRepository(current, files))) {
      const parent = dirname(current);
      if (parent === current) break;
      const opened = await orUndefined(files.openFolder(parent));
      if (opened === undefined) break;
      await using closing = opened;
      const level = await levelOf(closing, levels);
      if (level !== undefined) levels.push(level);
      current = parent;
    }
    const guard = new TimeGuard();
    const rules = new IgnoreRules(levels, guard);
    // A search that starts in an ignored folder includes its content.
    const [ignored] = await rules.ignored([{ path: folder, isFolder: true }]);
    return ignored === true ? new IgnoreRules([], guard) : rules;
  }

  /** These rules plus the folder's own `.gitignore`. */
  async within(folder: OpenFolder): Promise<IgnoreRules> {
    const level = await levelOf(folder, this.#levels);
    return level === undefined ? this : new IgnoreRules([level, ...this.#levels], this.#guard);
  }

  /** One result per entry. Blocks the event loop for a tenth of a second at a time. Throws a SlowPatternError if the rules take too long to match. */
  async ignored(entries: readonly IgnoreCandidate[]): Promise<readonly boolean[]> {
    const answers: boolean[] = [];
    let asked: Level | undefined;
    for (let cuts = 0; cuts < MAX_CUTS; cuts += 1) {
      const ended = this.#guard.run(() => {
        for (const entry of entries.slice(answers.length)) answers.push(this.#ignores(entry, (level) => (asked = level)));
      });
      if (ended) return answers;
      await setImmediate();
    }
    throw new SlowPatternError(
      `${asked?.shown ?? ".gitignore"} takes too long to match. Make its rules simpler: fewer ** in one rule, fewer rules.`,
    );
  }

  #ignores({ path, isFolder }: IgnoreCandidate, onAsk: (level: Level) => void): boolean {
    for (const level of this.#levels) {
      const { folder, rules } = level;
      if (path === folder || !isWithin(folder, path)) continue;
      onAsk(level);
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

async function levelOf(folder: OpenFolder, others: readonly Level[]): Promise<Level | undefined> {
  const maxBytes = MAX_RULES_BYTES - others.reduce((sum, { bytes }) => sum + bytes, 0);
  const opened = maxBytes <= 0 ? undefined : await orUndefined(folder.open(".gitignore"));
  if (opened === undefined) return undefined;
  await using closing = opened;
  if (closing.type === "folder") return undefined;
  const { bytesRead, buffer } = await closing.handle.read(Buffer.allocUnsafe(maxBytes), 0, maxBytes, 0);
  const lines = buffer.toString("utf8", 0, bytesRead).split("\n");
  // A truncated rule would have another meaning.
  if (bytesRead === maxBytes) lines.pop();
  const rules = ignore().add(lines.filter((line) => line.length <= MAX_RULE_CHARS).join("\n"));
  return { folder: folder.path, shown: folder.show(".gitignore"), rules, bytes: bytesRead };
}

/** A missing or unreadable file has no rules. */
async function orUndefined<Value>(promise: Promise<Value>): Promise<Value | undefined> {
  try {
    return await promise;
  } catch (error) {
    if (error instanceof FileAccessError) return undefined;
    throw error;
  }
}
