import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseLoss } from "./find-loss.ts";

/** Possible contents of a mark; `older` and `replaced` were written by earlier versions. */
const LOSSES: readonly DatabaseLoss[] = ["unlinked", "saved", "older", "replaced"];

/** Tells the next start to rebuild the database, even if it can be opened. */
export function markDamaged(folder: string, loss: DatabaseLoss = "structure"): void {
  writeFileSync(markOf(folder), loss, { mode: 0o600 });
}

/** Why it is to be rebuilt; undefined without a mark. A mark without a reason means the structure. */
export function readDamageMark(folder: string): DatabaseLoss | undefined {
  try {
    const loss = readFileSync(markOf(folder), "utf8");
    return LOSSES.find((known) => known === loss) ?? "structure";
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "ENOENT") return undefined;
    throw error;
  }
}

export function unmarkDamaged(folder: string): void {
  rmSync(markOf(folder), { force: true });
}

function markOf(folder: string): string {
  return join(folder, "factotum.sqlite.damaged");
}
