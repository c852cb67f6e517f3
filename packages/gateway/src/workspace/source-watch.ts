import path from "node:path";
import type { Logger } from "@factotum/agent-contract";
import { BOOTSTRAP_NAMES } from "@factotum/agent-core";
import type { FSWatcher } from "chokidar";

/** Maximum depth of skills below their folder. */
const SKILL_DEPTH = 7;

/** What to watch. */
export interface SourceWatchOptions {
  readonly workspace: string;
  readonly skillFolders: readonly string[];
  readonly logger: Logger;
  /** Generations of other watches that sessions have seen; 0 without any. */
  readonly generation?: number;
  /** Called for every change. */
  readonly onChange?: (() => void) | undefined;
}

/** Folders of a workspace whose files are sources: skills, and slash commands. */
const SOURCE_FOLDERS = ["skills", ".agents/skills", "commands"];

/**
 * Tells cheaply whether a source of a prompt may have changed: while the generation is the same, nothing has, and no turn needs to read the disk. Watching
 * starts with the first query; until it is set up, and if it does not work, every answer is a new generation.
 */
export class SourceWatch implements AsyncDisposable {
  readonly #options: SourceWatchOptions;
  #watcher: Promise<FSWatcher> | undefined;
  #works = false;
  #isDisposed = false;
  #generation: number;

  constructor(options: SourceWatchOptions) {
    this.#options = options;
    this.#generation = options.generation ?? 0;
  }

  /** The current generation, without starting the watch. */
  get latest(): number {
    return this.#generation;
  }

  /** Another source of prompts may have changed. */
  touch(): void {
    this.#generation += 1;
  }

  /** A number that differs after every change. */
  generation(): number {
    if (!this.#isDisposed) this.#watcher ??= this.#watch();
    if (!this.#works) this.#generation += 1;
    return this.#generation;
  }

  /** From now on every answer is a new generation. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#works = false;
    await (await this.#watcher)?.close();
  }

  async #watch(): Promise<FSWatcher> {
    const { workspace, skillFolders, logger, onChange } = this.#options;
    const { watch } = await import("chokidar");
    const files = BOOTSTRAP_NAMES.map((name) => path.join(workspace, name));
    const folders = [...SOURCE_FOLDERS.map((name) => path.join(workspace, name)), ...skillFolders];
    const watcher = watch([...files, ...folders], { ignoreInitial: true, persistent: false, depth: SKILL_DEPTH });
    watcher.on("all", () => {
      this.#generation += 1;
      onChange?.();
    });
    watcher.on("ready", () => {
      this.#works = !this.#isDisposed;
      // Changes during the setup were not seen.
      this.#generation += 1;
    });
    watcher.on("error", (error) => {
      this.#works = false;
      logger.warn("Files of the workspace cannot be watched; every turn looks at them", { workspace, error });
    });
    return watcher;
  }
}
