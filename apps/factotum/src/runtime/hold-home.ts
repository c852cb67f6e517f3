import { join } from "node:path";
import { makeFolder, type StatePaths } from "@factotum/config";
import { findDatabaseOwner } from "@factotum/store";
import { CliError } from "./cli-error.ts";
import { isProcessAlive } from "./is-process-alive.ts";
import { lockFile } from "./lock-file.ts";

/** A gateway that is shutting down still holds its state directory for a moment. */
const WAIT_MS = 1000;

/**
 * Locks the state directory for this process, until it is disposed or the process ends in any way; `undefined` if another process holds it. A gateway whose lock
 * file was moved away still holds it, by its database.
 */
export async function holdHome({ home, stateFolder }: Pick<StatePaths, "home" | "stateFolder">): Promise<Disposable | undefined> {
  try {
    await makeFolder(stateFolder);
    const held = lockFile(join(stateFolder, "gateway.lock"), { waitMs: WAIT_MS });
    if (held === undefined || findDatabaseOwner(stateFolder, isProcessAlive) === undefined) return held;
    held[Symbol.dispose]();
    return undefined;
  } catch (error) {
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
