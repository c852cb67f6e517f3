import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { DatabaseLoss } from "./find-loss.ts";

/** What a mark may say; `older` and `replaced` are those of earlier versions. */
const LOSSES: readonly DatabaseLoss[] = ["unlinked", "saved", "older", "replaced"];

/** Says to the next start that the database is to be rebuilt, though it may open. */
export function markDamaged(folder: string, loss: DatabaseLoss = "structure"): void {
  writeFileSync(markOf(folder), loss, { mode: 0o600 });
}

/** Why it is to be rebuilt; undefined without a mark. One that names no reason is about the structure. */
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
