import { withoutUndefined } from "@factotum/agent-contract";
import { stat } from "node:fs/promises";
import { join } from "node:path";
import type { StatePaths } from "@factotum/config";
import { checkDatabaseFile, findForeignDatabase, findPendingRecovery, markDatabaseDamaged, readDamageEvents } from "@factotum/store";
import { sessionFolders } from "../compose/session-folders.ts";
import { CliError } from "../runtime/cli-error.ts";
import { describeFullDisk } from "../runtime/full-disk.ts";
import { holdHome } from "../runtime/hold-home.ts";
import { isReadOnlyDisk } from "./check-disk.ts";
import { ok, type Finding } from "./finding.ts";

/** Unacknowledged damage of the stored state: it was repaired or excluded, so everything works. */
export function checkDamage({ stateFolder }: StatePaths): Finding[] {
  return readDamageEvents(stateFolder).map(({ id, atMs, text, sessionKey, path }): Finding => {
    const where = [sessionKey, path].filter((one) => one !== undefined).join("; ");
    return {
      check: "damage",
      level: "warning",
      message: `${new Date(atMs).toISOString()}: ${text}${where === "" ? "" : ` (${where})`}`,
      fix: `Check the disk and what was lost; then run "factotum damage acknowledge ${id}".`,
    };
  });
}

/** A database that the next start restores, or with undetected damage. A running gateway checks its own. */
export async function checkDatabase(paths: StatePaths): Promise<Finding[]> {
  const pending = await findPendingRecovery(paths.stateFolder, sessionFolders(paths));
  if (pending !== undefined) return [{ check: "recovery", level: "warning", message: pending.text, fix: pending.fix }];
  const file = join(paths.stateFolder, "factotum.sqlite");
  const entry = await stat(file).catch(unlessMissing);
  if (entry?.isFile() === false) {
    const fix =
      "Stop the gateway and move away what is there; the next start restores the database from its snapshots and the plain files.";
    return [{ check: "database-structure", level: "error", message: `${file} has to be a file.`, fix }];
  }
  // On a full or read-only disk not even the lock can be taken; another check reports that.
  if (entry === undefined || (await describeFullDisk(paths.home)) !== undefined || (await isReadOnlyDisk(paths.home))) return [];
  let held: Disposable | undefined;
  try {
    held = await holdHome(paths);
  } catch (error) {
    if (!(error instanceof CliError)) throw error;
    return [{ check: "database-structure", level: "error", message: error.message, ...withoutUndefined({ fix: error.fix }) }];
  }
  if (held === undefined) return [];
  using _held = held;
  const foreign = await findForeignDatabase(paths.stateFolder, sessionFolders(paths));
  if (foreign !== undefined) return [{ check: "database-structure", level: "error", message: foreign.text, fix: foreign.fix }];
  const problems = await checkDatabaseFile(file);
  if (problems.length === 0) return [ok("database-structure", "the database is sound")];
  return [
    {
      check: "database-structure",
      level: "error",
      message: `The database is damaged: ${problems[0] ?? ""}`,
      fix: 'Run "factotum doctor --fix", which notes it, and start the gateway: it restores the database from its snapshots and the plain files, and keeps the damaged one.',
      repair: async () => markDatabaseDamaged(paths.stateFolder),
    },
  ];
}

function unlessMissing(error: unknown): undefined {
  if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
  throw error;
}
