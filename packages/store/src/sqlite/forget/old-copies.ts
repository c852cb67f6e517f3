import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { DATABASE_NAME } from "../connection/database-name.ts";
import { listSnapshots } from "../recovery/snapshots.ts";

/** Other copies of the database, and of its parts, in a state folder: from before a migration, or set aside by a recovery. */
const COPY: RegExp = new RegExp(`^(?:${RegExp.escape(DATABASE_NAME)}\\.(?:v\\d+\\..*|copying)|damaged-\\d+)$`);

/** Every copy of the database in a state folder but the newest snapshot, if that one was taken at `takenFromMs` or later. */
export async function listOldCopies(folder: string, takenFromMs: number): Promise<readonly string[]> {
  const snapshots = await listSnapshots(folder);
  const kept = snapshots.find(({ takenAtMs }) => takenAtMs >= takenFromMs);
  const names = (await readdir(folder)).filter((name) => COPY.test(name));
  return [...snapshots.filter((snapshot) => snapshot !== kept).map(({ path }) => path), ...names.map((name) => join(folder, name))];
}

/** Removes every copy of the database in a state folder but a snapshot that was taken at `takenFromMs` or later. No process may use the folder. */
export async function removeOldCopies(folder: string, takenFromMs: number): Promise<void> {
  for (const path of await listOldCopies(folder, takenFromMs)) {
    for (const end of ["", "-wal", "-shm"]) await rm(`${path}${end}`, { recursive: true, force: true });
  }
}
