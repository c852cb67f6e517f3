import { watch } from "node:fs";
import { stat } from "node:fs/promises";
import { basename, dirname } from "node:path";
import type { Clock } from "@factotum/agent-contract";
import { locateConfig } from "../state/locate-config.ts";
import { statePaths, type Environment } from "../state/state-paths.ts";

/** Calls back for every change of an entry in a folder, with its name if known, until disposed. Never throws. */
export type FolderWatcher = (folder: string, onEvent: (name: string | undefined) => void) => Disposable;

/** Options of `watchConfig`. */
export interface WatchConfigOptions {
  readonly env: Environment;
  readonly clock: Pick<Clock, "schedule">;
  /** The file may have changed. Debounced. */
  readonly onChange: () => void;
  /** Defaults to the system's own. */
  readonly watchFolder?: FolderWatcher;
}

/** Editors write in several steps: the last one counts. */
const SETTLE_MS = 300;
/** Polled in any case, because some file systems send no events: network file systems, containers, files behind links. */
const POLL_MS = 5_000;

/** Watches the configuration file, wherever it is found, and even while it does not exist: editors replace it, and links change. */
export function watchConfig(options: WatchConfigOptions): Disposable {
  const { env, clock, onChange, watchFolder = watchSystemFolder } = options;
  const paths = statePaths(env);
  let settling: Disposable | undefined;
  let polling: Disposable | undefined;
  let watching: Disposable | undefined;
  let known: string | undefined;
  let isDisposed = false;
  const settle = (): void => {
    settling?.[Symbol.dispose]();
    settling = clock.schedule(SETTLE_MS, onChange);
  };
  const look = async (): Promise<void> => {
    const { path } = await locateConfig(paths, env);
    const now = await signatureOf(path);
    if (isDisposed) return;
    watching ??= watchFolder(dirname(path), (name) => {
      if (name === undefined || isConfigName(name, path)) settle();
    });
    // The first check counts too: it may have changed since it was read for the start.
    if (known !== now) settle();
    known = now;
    polling = clock.schedule(POLL_MS, () => void look());
  };
  void look();
  return {
    [Symbol.dispose]: () => {
      isDisposed = true;
      for (const part of [settling, polling, watching]) part?.[Symbol.dispose]();
    },
  };
}

function isConfigName(name: string, path: string): boolean {
  return name === basename(path) || /^factotum\.(json5?|ya?ml)$/.test(name);
}

/** A fingerprint of the file's state that needs no read. */
async function signatureOf(path: string): Promise<string> {
  try {
    const { ino, size, mtimeMs, ctimeMs } = await stat(path);
    return [path, ino, size, mtimeMs, ctimeMs].join(" ");
  } catch (error) {
    return `${path} ${(error as NodeJS.ErrnoException).code ?? "unknown"}`;
  }
}

function watchSystemFolder(folder: string, onEvent: (name: string | undefined) => void): Disposable {
  try {
    const watcher = watch(folder, { persistent: false }, (_event, name) => onEvent(name ?? undefined));
    // A folder that is gone is polled.
    watcher.on("error", () => watcher.close());
    return { [Symbol.dispose]: () => watcher.close() };
  } catch (error) {
    // A folder that cannot be watched is polled.
    if (!(error instanceof Error)) throw error;
    return { [Symbol.dispose]: () => undefined };
  }
}
