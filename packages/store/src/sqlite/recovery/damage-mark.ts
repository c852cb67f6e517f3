import { existsSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Says to the next start that the database is to be put together anew, though it may open. */
export function markDamaged(folder: string): void {
  writeFileSync(markOf(folder), "", { mode: 0o600 });
}

export function isMarkedDamaged(folder: string): boolean {
  return existsSync(markOf(folder));
}

export function unmarkDamaged(folder: string): void {
  rmSync(markOf(folder), { force: true });
}

function markOf(folder: string): string {
  return join(folder, "factotum.sqlite.damaged");
}
