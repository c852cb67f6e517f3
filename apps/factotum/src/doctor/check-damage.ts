import type { StatePaths } from "@factotum/config";
import { readDamageEvents } from "@factotum/store";
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
