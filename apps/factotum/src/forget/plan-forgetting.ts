import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { Environment, StatePaths } from "@factotum/config";
import type { MemoryForgetReport, MemoryForgetScope } from "@factotum/protocol";
import { copyDatabase } from "@factotum/store";
import { applyTombstone, isNothing, type ForgetReport } from "./apply-tombstone.ts";
import { createTombstone, withLines, type ForgetScope } from "./create-tombstone.ts";
import { findForgetPlaces, listUntouched, shownPath, type ForgetPlaces } from "./forget-places.ts";
import type { Tombstone } from "./forgotten-list.ts";
import { removeTrialCopy, TRIAL_FOLDER } from "./trial-copy.ts";

/** What is to be found out; it is sent to a thread. */
export interface ForgetJob {
  readonly paths: StatePaths;
  readonly env: Environment;
  readonly scope: MemoryForgetScope;
  /** Milliseconds since the epoch. */
  readonly nowMs: number;
}

/** What would be forgotten, and how. */
export interface ForgetPlan {
  readonly tombstone: Tombstone;
  readonly report: MemoryForgetReport;
}

/** Looks in a copy of the database for what a scope covers. It copies and reads all of it at once: not in the thread of a gateway. */
export async function planForgetting({ paths, env, scope, nowMs }: ForgetJob): Promise<ForgetPlan> {
  const places = await findForgetPlaces(paths, env);
  const copyIn = join(paths.stateFolder, TRIAL_FOLDER);
  await removeTrialCopy(paths.stateFolder);
  await mkdir(copyIn, { mode: 0o700 });
  try {
    copyDatabase(join(paths.stateFolder, "factotum.sqlite"), join(copyIn, "factotum.sqlite"), { secrets: false });
    const first = createTombstone(toScope(scope, nowMs), nowMs);
    const { calls } = await applyTombstone(places, first, { isTrial: true, copyIn });
    const tombstone = await withLines(first, calls, places);
    return { tombstone, report: await describe(await applyTombstone(places, tombstone, { isTrial: true, copyIn }), places) };
  } finally {
    await removeTrialCopy(paths.stateFolder);
  }
}

function toScope(scope: MemoryForgetScope, nowMs: number): ForgetScope {
  if (scope.type === "session") return { type: "session", key: scope.sessionKey };
  return scope.type === "span" ? { ...scope, toMs: scope.toMs ?? nowMs + 1 } : scope;
}

async function describe(report: ForgetReport, places: ForgetPlaces): Promise<MemoryForgetReport> {
  if (isNothing(report)) return { type: "nothing", counts: {}, notes: [], untouched: [] };
  const notes = report.notes.map(({ file, lines, text }) => ({ path: shownPath(file, places), lines, removed: text === undefined }));
  return { type: "planned", counts: Object.fromEntries(report.counts), notes, untouched: await listUntouched(places) };
}
