import { chmodSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { StatePaths } from "@factotum/config";
import { CliError } from "./cli-error.ts";

/** A gateway that is shutting down still holds its state directory for a moment. */
const WAIT_MS = 1000;
const SQLITE_BUSY = 5;

/**
 * Locks the state directory for this process, until it is disposed or the process ends in any way; `undefined` if another process holds it. The lock is the
 * system's own, on an empty database beside the store (Node has no other portable file lock), so a killed gateway leaves nothing.
 */
export function holdHome({ home, stateFolder }: StatePaths): Disposable | undefined {
  const file = join(stateFolder, "gateway.lock");
  let connection: DatabaseSync | undefined;
  try {
    mkdirSync(stateFolder, { recursive: true, mode: 0o700 });
    const opened = new DatabaseSync(file, { timeout: WAIT_MS });
    connection = opened;
    opened.exec("BEGIN EXCLUSIVE");
    chmodSync(file, 0o600);
    return { [Symbol.dispose]: () => opened.close() };
  } catch (error) {
    connection?.close();
    if (error instanceof Error && "errcode" in error && error.errcode === SQLITE_BUSY) return undefined;
    throw new CliError(
      "failure",
      `The state directory ${home} cannot be used: ${error instanceof Error ? error.message : "unknown failure"}.`,
      {
        fix: "Make it a folder in which this user may write, or set FACTOTUM_HOME to one.",
        cause: error,
      },
    );
  }
}
