import path from "node:path";
import type { Logger } from "@factotum/agent-contract";
import { BOOTSTRAP_NAMES } from "@factotum/agent-core";
import type { FSWatcher } from "chokidar";
import { CONTENT_FOLDERS, fileKinds, type FileKind } from "./file-kinds.ts";

/** Maximum depth of skills and notes below their folder. */
const MAX_DEPTH = 7;
/** Most notes and knowledge files of a workspace that are watched: each takes a watch of the system. */
const MAX_CONTENTS = 5000;

/** Most sources that are watched. With more, such as a link to a large folder, every turn looks at the disk. */
const MAX_SOURCES = 2000;

/** What to watch. */
export interface SourceWatchOptions {
  readonly workspace: string;
  readonly skillFolders: readonly string[];
  readonly logger: Logger;
  /** Generations of other watches that sessions have seen; 0 without any. */
  readonly generation?: number;
  /** Called for every change of a source. */
  readonly onChange?: (() => void) | undefined;
  /** Called with the kinds of every file that has changed: sources, and with `follow` notes and knowledge, too. */
  readonly onFiles?: ((kinds: readonly FileKind[]) => void) | undefined;
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
  #contents: Promise<FSWatcher> | undefined;
  #works = false;
  #isDisposed = false;
  #isTooMany = false;
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

  /** From now on changes of all files that clients are shown are announced, however they are made. */
  follow(): void {
    if (this.#isDisposed) return;
    this.#watcher ??= this.#watch();
    this.#contents ??= this.#watchContents();
  }

  /** From now on every answer is a new generation. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true;
    this.#works = false;
    await Promise.all([this.#watcher, this.#contents].map(async (watcher) => (await watcher)?.close()));
  }

  async #watch(): Promise<FSWatcher> {
    const { workspace, skillFolders, logger, onChange } = this.#options;
    const { watch } = await import("chokidar");
    const files = BOOTSTRAP_NAMES.map((name) => path.join(workspace, name));
    const folders = [...SOURCE_FOLDERS.map((name) => path.join(workspace, name)), ...skillFolders];
    const known = new WatchedPaths(MAX_SOURCES);
    const ignored = (file: string): boolean => {
      if (!known.isTooMany(file)) return false;
      if (!this.#isTooMany) logger.warn("There are too many files of skills to watch them; every turn looks at them", { workspace });
      this.#isTooMany = true;
      this.#works = false;
      return true;
    };
    const watcher = watch([...files, ...folders], { ignoreInitial: true, persistent: false, depth: MAX_DEPTH, ignored });
    watcher.on("all", (event, file) => {
      known.note(event, file);
      this.#generation += 1;
      onChange?.();
      this.#announce(fileKinds(file, workspace));
    });
    watcher.on("ready", () => {
      this.#works = !this.#isDisposed && !this.#isTooMany;
      // Changes during the setup were not seen.
      this.#generation += 1;
      if (this.#contents !== undefined) this.#announce(["persona", "skills"]);
    });
    watcher.on("error", (error) => {
      this.#works = false;
      logger.warn("Files of the workspace cannot be watched; every turn looks at them", { workspace, error });
    });
    return watcher;
  }

  async #watchContents(): Promise<FSWatcher> {
    const { workspace, logger } = this.#options;
    const { watch } = await import("chokidar");
    const known = new WatchedPaths(MAX_CONTENTS);
    const watcher = watch(
      CONTENT_FOLDERS.map((name) => path.join(workspace, name)),
      {
        ignoreInitial: true,
        persistent: false,
        followSymlinks: false,
        depth: MAX_DEPTH,
        ignored: (file) => known.isTooMany(file),
      },
    );
    watcher.on("all", (event, file) => {
      known.note(event, file);
      this.#announce(fileKinds(file, workspace));
    });
    watcher.on("ready", () => this.#announce(["notes", "knowledge"]));
    watcher.on("error", (error) => {
      logger.warn("Notes and knowledge files cannot be watched; clients are not told of changes by hand", { workspace, error });
    });
    return watcher;
  }

  #announce(kinds: readonly FileKind[]): void {
    if (kinds.length > 0 && !this.#isDisposed) this.#options.onFiles?.(kinds);
  }
}

/** The paths of a watch, each of which takes a watch of the system, up to a limit. */
class WatchedPaths {
  readonly #known = new Set<string>();
  readonly #max: number;

  constructor(max: number) {
    this.#max = max;
  }

  /** True if a path is beyond the limit; otherwise it counts. */
  isTooMany(file: string): boolean {
    if (!this.#known.has(file) && this.#known.size >= this.#max) return true;
    this.#known.add(file);
    return false;
  }

  /** Takes note of an event of the watch. */
  note(event: string, file: string): void {
    if (event === "unlink" || event === "unlinkDir") this.#known.delete(file);
  }
}
