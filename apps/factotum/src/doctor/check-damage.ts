import type { StatePaths } from "@factotum/config";
import { findPendingRecovery, readDamageEvents } from "@factotum/store";
import { sessionFolders } from "../compose/session-folders.ts";
import type { Finding } from "./finding.ts";

/** Damage of the stored state that nobody has acknowledged: it was repaired or left out, so everything works. */
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

/** A database that the next start restores. */
export async function checkDatabase(paths: StatePaths): Promise<Finding[]> {
  const pending = await findPendingRecovery(paths.stateFolder, sessionFolders(paths));
  return pending === undefined ? [] : [{ check: "recovery", level: "warning", message: pending.text, fix: pending.fix }];
}
