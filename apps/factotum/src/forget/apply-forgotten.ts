import { existsSync } from "node:fs";
import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { Environment, StatePaths } from "@factotum/config";
import { findPendingRecovery } from "@factotum/store";
import { sessionFolders } from "../compose/session-folders.ts";
import { withStoppedStore } from "../compose/with-stopped-store.ts";
import { applyTombstone } from "./apply-tombstone.ts";
import { findForgetPlaces } from "./forget-places.ts";
import { readForgotten } from "./forgotten-list.ts";

/**
 * Removes again what the owner has forgotten, if the database of a state directory is another one than those from which it was removed: it comes from a backup
 * or from a recovery, or the removal was interrupted. Resolves with the number of tombstones that were applied. The caller holds the state directory.
 */
export async function applyForgotten(paths: StatePaths, env: Environment): Promise<number> {
  const tombstones = await readForgotten(paths.home);
  if (tombstones.length === 0 || !existsSync(join(paths.stateFolder, "factotum.sqlite"))) return 0;
  const known = await readDatabaseId(paths);
  if (known !== undefined && tombstones.every(({ doneIn }) => doneIn.includes(known))) return 0;
  const places = await findForgetPlaces(paths, env);
  const databaseId = await withStoppedStore(places, async (store) => Promise.resolve(store.databaseId));
  const pending = tombstones.filter(({ doneIn }) => !doneIn.includes(databaseId));
  for (const tombstone of pending) await applyTombstone(places, tombstone, { isTrial: false });
  return pending.length;
}

/** The id of the database that the next start uses; `undefined` if it has to be restored first. */
async function readDatabaseId(paths: StatePaths): Promise<string | undefined> {
  if ((await findPendingRecovery(paths.stateFolder, sessionFolders(paths))) !== undefined) return undefined;
  let database: DatabaseSync | undefined;
  try {
    database = new DatabaseSync(join(paths.stateFolder, "factotum.sqlite"), { readOnly: true });
    const id = database.prepare("SELECT database_id FROM ownership").get()?.["database_id"];
    return typeof id === "string" ? id : undefined;
  } catch (error) {
    // The start says what is wrong with it.
    if (error instanceof Error && "errcode" in error) return undefined;
    throw error;
  } finally {
    database?.close();
  }
}
