import { chmodSync } from "node:fs";
import { DatabaseSync } from "node:sqlite";

const SQLITE_BUSY = 5;

/**
 * Locks a file for this process, until it is disposed or the process ends in any way; `undefined` if another process holds it after `waitMs`. The lock is the
 * system's own, on an empty database (Node has no other portable file lock), so a killed process leaves nothing. Throws if the file cannot be created.
 */
export function lockFile(file: string, { waitMs }: { readonly waitMs: number }): Disposable | undefined {
  const connection = new DatabaseSync(file, { timeout: waitMs });
  try {
    connection.exec("BEGIN EXCLUSIVE");
    chmodSync(file, 0o600);
    return { [Symbol.dispose]: () => connection.close() };
  } catch (error) {
    connection.close();
    if (error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY) return undefined;
    throw error;
  }
}
