import path from "node:path";
import type { Logger } from "@factotum/agent-contract";
import { BOOTSTRAP_NAMES } from "@factotum/agent-core";
import type { FSWatcher } from "chokidar";

/** Skills lie at most this deep below their folder. */
const SKILL_DEPTH = 7;

/** What to watch. */
export interface SourceWatchOptions {
  readonly workspace: string;
  readonly skillFolders: readonly string[];
  readonly logger: Logger;
}

/**
 * Tells cheaply whether anything that a prompt is made of may have changed: as long as the generation stays the same, nothing has, and no turn needs to
 * look at the disk. Watching begins with the first question; until it stands, and where it does not work, every answer is a new generation.
 */
export class SourceWatch implements AsyncDisposable {
  readonly #options: SourceWatchOptions;
  #watcher: Promise<FSWatcher> | undefined;
  #works = false;
  #generation = 0;

  constructor(options: SourceWatchOptions) {
    this.#options = options;
  }

  /** A number that is another one after every change. */
  generation(): number {
    this.#watcher ??= this.#watch();
    if (!this.#works) this.#generation += 1;
    return this.#generation;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await (await this.#watcher)?.close();
  }

  async #watch(): Promise<FSWatcher> {
    const { workspace, skillFolders, logger } = this.#options;
    const { watch } = await import("chokidar");
    const files = BOOTSTRAP_NAMES.map((name) => path.join(workspace, name));
    const folders = [path.join(workspace, "skills"), ...skillFolders];
    const watcher = watch([...files, ...folders], { ignoreInitial: true, persistent: false, depth: SKILL_DEPTH });
    watcher.on("all", () => {
      this.#generation += 1;
    });
    watcher.on("ready", () => {
      this.#works = true;
      // What happened while it was being set up was not seen.
      this.#generation += 1;
    });
    watcher.on("error", (error) => {
      this.#works = false;
      logger.warn("Files of the workspace cannot be watched; every turn looks at them", { workspace, error });
    });
    return watcher;
  }
}
