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

/** What is read of the `.gitignore` files from the root down to one folder, together: every rule becomes a pattern that is held. */
const MAX_RULES_BYTES = 64 * 1024;
/** A longer rule is passed over: no path needs it, and the engine makes no pattern of any length. */
const MAX_RULE_CHARS = 1_000;
/** How often a batch of paths may be cut off and go on. Many rules take long the first time; rules that never end take longer than that. */
const MAX_CUTS = 5;

interface Level {
  /** The folder whose `.gitignore` it is. Real. */
  readonly folder: string;
  /** The file, as the model should know it. */
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

/** What the `.gitignore` files from the repository's root down to one folder say. Immutable. */
export class IgnoreRules {
  /** Innermost first: the nearest file that says something decides. */
  readonly #levels: readonly Level[];
  readonly #guard: TimeGuard;

  private constructor(levels: readonly Level[], guard: TimeGuard) {
    this.#levels = levels;
    this.#guard = guard;
  }

  /**
   * The rules that come from above `folder`: up to the repository's root, and never beyond what the run may read. Throws a SlowPatternError
   * when they take too long to match.
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
    // Whoever names an ignored folder means what is in it.
    const [ignored] = await rules.ignored([{ path: folder, isFolder: true }]);
    return ignored === true ? new IgnoreRules([], guard) : rules;
  }

  /** These rules and those of the folder's own `.gitignore`. */
  async within(folder: OpenFolder): Promise<IgnoreRules> {
    const level = await levelOf(folder, this.#levels);
    return level === undefined ? this : new IgnoreRules([level, ...this.#levels], this.#guard);
  }

  /** One answer an entry. The event loop is held a tenth of a second at a time. Throws a SlowPatternError when the rules take too long to match. */
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
  // Half a rule says something else.
  if (bytesRead === maxBytes) lines.pop();
  const rules = ignore().add(lines.filter((line) => line.length <= MAX_RULE_CHARS).join("\n"));
  return { folder: folder.path, shown: folder.show(".gitignore"), rules, bytes: bytesRead };
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
