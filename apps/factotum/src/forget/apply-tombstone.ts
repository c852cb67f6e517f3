import { existsSync } from "node:fs";
import { chmod, rm } from "node:fs/promises";
import { writePrivateFile } from "@factotum/config";
import { beginForgetting, listOldCopies, removeOldCopies, type ForgottenCall } from "@factotum/store";
import { withStoppedStore } from "../compose/with-stopped-store.ts";
import { systemClock } from "../runtime/system-clock.ts";
import type { ForgetPlaces } from "./forget-places.ts";
import { writeForgotten, type Tombstone } from "./forgotten-list.ts";
import { removeTrialCopy } from "./trial-copy.ts";
import {
  planCopies,
  planDerived,
  planMedia,
  planNotes,
  planSandboxes,
  planSessionFiles,
  planUnusedCopies,
  planVersions,
  type FileRemoval,
  type NoteEdit,
  type PlanOptions,
} from "./plan-files.ts";
import { createTombstoneRules } from "./tombstone-rules.ts";

/** What is forgotten, or would be. */
export interface ForgetReport {
  /** Rows and files by what they are called, in the order of a report; only those that there are. */
  readonly counts: ReadonlyMap<string, number>;
  readonly notes: readonly NoteEdit[];
  /** Calls of tools in what is forgotten. */
  readonly calls: readonly ForgottenCall[];
}

/** Counts that do not mean that anything is forgotten: they go whatever the tombstone says. */
const ALWAYS: ReadonlySet<string> = new Set(["indexes of memory", "logs", "older copies of the database", "contents kept for /undo"]);

/** True if nothing was found that belongs to the tombstone. */
export function isNothing({ counts, notes }: ForgetReport): boolean {
  return notes.length === 0 && [...counts.keys()].every((kind) => ALWAYS.has(kind));
}

/** Options of `applyTombstone`. */
export interface ApplyOptions {
  /** Nothing is changed. */
  readonly isTrial: boolean;
  /** Of a trial: the folder of a copy of the database, of this version, that is looked at instead. A gateway may run then. */
  readonly copyIn?: string;
}

/**
 * Removes from a state directory what a tombstone says, and notes in it that this is done. Killed at any moment, it can be called again: files go before the
 * rows by which they are found. The caller holds the state directory, and the tombstone is in its list. With `isTrial` nothing is changed.
 */
export async function applyTombstone(places: ForgetPlaces, tombstone: Tombstone, { isTrial, copyIn }: ApplyOptions): Promise<ForgetReport> {
  const { home, stateFolder } = places.paths;
  const plan: PlanOptions = { places, rules: createTombstoneRules(tombstone), isAgain: tombstone.doneIn.length > 0 };
  const databaseId = copyIn === undefined ? await withStoppedStore(places, async (store) => Promise.resolve(store.databaseId)) : "";
  const copies = await planCopies(plan);
  const notes = await planNotes(plan);
  const begunAtMs = systemClock.now();
  using work = beginForgetting({ folder: copyIn ?? stateFolder, rules: plan.rules, copies });
  const removals = [
    ...(await planSessionFiles(plan, work)),
    ...(await planMedia(plan, work)),
    ...(await planSandboxes(plan, work)),
    ...(await planVersions(plan)),
    ...(await planUnusedCopies(plan, work)),
    ...(await planDerived(plan)),
  ];
  const oldCopies = await listOldCopies(stateFolder, begunAtMs);
  const counts = countAll(work.counts, [...removals, ...oldCopies.map((file) => ({ kind: "older copies of the database", file }))]);
  if (isTrial || copyIn !== undefined) return { counts, notes, calls: work.calls };
  await removeTrialCopy(stateFolder);
  for (const edit of notes) await writeNote(edit);
  for (const { file } of removals) await rm(file, { force: true });
  work.commit();
  work[Symbol.dispose]();
  await withStoppedStore(places, async (store) => {
    await store.flushCopies();
    await store.snapshot();
  });
  await removeOldCopies(stateFolder, begunAtMs);
  await writeForgotten(home, [{ ...tombstone, doneIn: [...new Set([...tombstone.doneIn, databaseId])] }]);
  return { counts, notes, calls: work.calls };
}

function countAll(rows: ReadonlyMap<string, number>, files: readonly FileRemoval[]): ReadonlyMap<string, number> {
  const counts = new Map([...rows].filter(([, count]) => count > 0));
  for (const { kind } of files) counts.set(kind, (counts.get(kind) ?? 0) + 1);
  return counts;
}

/** Writes a note atomically; the file keeps its permissions. */
async function writeNote({ file, text, mode }: NoteEdit): Promise<void> {
  if (text === undefined) return rm(file, { force: true });
  if (!existsSync(file)) return;
  await writePrivateFile(file, text);
  await chmod(file, mode & 0o777);
}
