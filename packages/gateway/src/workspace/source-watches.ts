import type { Logger } from "@factotum/agent-contract";
import type { FileKind } from "./file-kinds.ts";
import { SourceWatch } from "./source-watch.ts";

/** The dependencies of the watches. */
export interface SourceWatchesOptions {
  readonly skillFolders: readonly string[];
  readonly logger: Logger;
  /** Called for every change of a watched file. */
  readonly onSourcesChanged?: (() => void) | undefined;
  /** Called with the kinds of the files of a workspace that have changed. */
  readonly onFilesChanged?: ((workspace: string, kinds: readonly FileKind[]) => void) | undefined;
}

/** One watch per workspace, across configurations. */
export class SourceWatches {
  readonly #options: SourceWatchesOptions;
  readonly #watches = new Map<string, SourceWatch>();
  readonly #before: SourceWatches | undefined;

  constructor(options: SourceWatchesOptions, before: SourceWatches | undefined) {
    this.#options = options;
    this.#before = before;
  }

  /** The watch of a workspace. After a configuration change every session reads the disk once: the applicable skills may differ. */
  of(workspace: string): SourceWatch {
    const { skillFolders, logger, onSourcesChanged, onFilesChanged } = this.#options;
    const key = JSON.stringify([workspace, skillFolders]);
    const watch =
      this.#watches.get(key) ??
      this.#before?.taken(key) ??
      new SourceWatch({
        workspace,
        skillFolders,
        logger,
        onChange: onSourcesChanged,
        onFiles: (kinds) => onFilesChanged?.(workspace, kinds),
        generation: this.#before?.generation ?? 0,
      });
    this.#watches.set(key, watch);
    return watch;
  }

  /** The newest of all. */
  get generation(): number {
    return Math.max(0, ...this.#watches.values().map(({ latest }) => latest));
  }

  taken(key: string): SourceWatch | undefined {
    const watch = this.#watches.get(key);
    watch?.touch();
    return watch;
  }

  /** Ends the watches that the next configuration has not taken over. */
  handOver(next: SourceWatches): void {
    for (const [key, watch] of this.#watches) if (next.#watches.get(key) !== watch) void watch[Symbol.asyncDispose]();
  }

  async close(): Promise<void> {
    await Promise.all(this.#watches.values().map((watch) => watch[Symbol.asyncDispose]()));
  }
}
