import { mkdir } from "node:fs/promises";
import { join } from "node:path";
import type { ForgetDesk } from "@factotum/gateway";
import type { MemoryForgetReport, MemoryForgetScope } from "@factotum/protocol";
import { copyDatabase } from "@factotum/store";
import { CliError } from "../runtime/cli-error.ts";
import type { CliContext } from "../runtime/cli-context.ts";
import { systemClock } from "../runtime/system-clock.ts";
import { applyTombstone, isNothing, type ForgetReport } from "./apply-tombstone.ts";
import { createTombstone, withLines, type ForgetScope } from "./create-tombstone.ts";
import { findForgetPlaces, listUntouched, shownPath, type ForgetPlaces } from "./forget-places.ts";
import { writeForgotten, type Tombstone } from "./forgotten-list.ts";
import { removeTrialCopy, TRIAL_FOLDER } from "./trial-copy.ts";

/** What the desk needs of its process. */
export interface ForgetDeskOptions extends Pick<CliContext, "paths" | "env"> {
  /** Rejects with a `CliError` if the next start would be refused. */
  readonly requireStart: () => Promise<void>;
  readonly restart: () => Promise<void>;
}

interface Plan {
  readonly tombstone: Tombstone;
  readonly report: ForgetReport;
  readonly places: ForgetPlaces;
}

/** Forgets while a gateway runs: it looks at a copy of the database, and what is decided is forgotten by the next start. One question at a time. */
export function createForgetDesk({ paths, env, requireStart, restart }: ForgetDeskOptions): ForgetDesk {
  let last: Promise<unknown> = Promise.resolve();
  const next = async <Result>(work: () => Promise<Result>): Promise<Result> => {
    const result = last.then(work);
    last = result.catch(() => undefined);
    return result;
  };
  const plan = async (scope: MemoryForgetScope): Promise<Plan> => {
    const places = await findForgetPlaces(paths, env);
    const copyIn = join(paths.stateFolder, TRIAL_FOLDER);
    await removeTrialCopy(paths.stateFolder);
    await mkdir(copyIn, { mode: 0o700 });
    try {
      copyDatabase(join(paths.stateFolder, "factotum.sqlite"), join(copyIn, "factotum.sqlite"), { secrets: false });
      const first = createTombstone(toScope(scope), systemClock.now());
      const { calls } = await applyTombstone(places, first, { isTrial: true, copyIn });
      const tombstone = await withLines(first, calls, places);
      return { tombstone, report: await applyTombstone(places, tombstone, { isTrial: true, copyIn }), places };
    } finally {
      await removeTrialCopy(paths.stateFolder);
    }
  };
  return {
    plan: async (scope) => next(async () => describe(await plan(scope), "planned")),
    forget: async (scope) =>
      next(async () => {
        try {
          await requireStart();
        } catch (error) {
          if (error instanceof CliError) return `The gateway could not start again: ${error.message}`;
          throw error;
        }
        const planned = await plan(scope);
        if (isNothing(planned.report)) return describe(planned, "planned");
        await writeForgotten(paths.home, [planned.tombstone]);
        await restart();
        return describe(planned, "restarting");
      }),
  };
}

function toScope(scope: MemoryForgetScope): ForgetScope {
  if (scope.type === "session") return { type: "session", key: scope.sessionKey };
  return scope.type === "span" ? { ...scope, toMs: scope.toMs ?? systemClock.now() + 1 } : scope;
}

async function describe({ report, places }: Plan, type: MemoryForgetReport["type"]): Promise<MemoryForgetReport> {
  if (isNothing(report)) return { type: "nothing", counts: {}, notes: [], untouched: [] };
  const notes = report.notes.map(({ file, lines, text }) => ({ path: shownPath(file, places), lines, removed: text === undefined }));
  return { type, counts: Object.fromEntries(report.counts), notes, untouched: await listUntouched(places) };
}
