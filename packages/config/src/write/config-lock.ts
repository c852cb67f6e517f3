import { join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { makeFolder } from "../state/make-folder.ts";
import type { StatePaths } from "../state/state-paths.ts";

/** How long to wait for another writer. */
const WAIT_MS = 10_000;
const LOOK_MS = 20;
const SQLITE_BUSY = 5;

/**
 * Locks the configuration file for a change, until it is disposed or the process ends in any way; `undefined` if another process keeps the lock. The lock is
 * the system's own, on an empty database (Node has no other portable file lock). It is advisory: editors ignore it, and their writes are detected by reading
 * again.
 */
export async function lockConfig({ stateFolder }: Pick<StatePaths, "stateFolder">): Promise<Disposable | undefined> {
  await makeFolder(stateFolder);
  const { DatabaseSync } = await import("node:sqlite");
  const lock = new DatabaseSync(join(stateFolder, "config.lock"), { timeout: 0 });
  for (let waitedMs = 0; ; waitedMs += LOOK_MS) {
    try {
      lock.exec("BEGIN EXCLUSIVE");
      return { [Symbol.dispose]: () => lock.close() };
    } catch (error) {
      const isTaken = error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY;
      if (!isTaken || waitedMs >= WAIT_MS) {
        lock.close();
        if (isTaken) return undefined;
        throw error;
      }
      await delay(LOOK_MS);
    }
  }
}
