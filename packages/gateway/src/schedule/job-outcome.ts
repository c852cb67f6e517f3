import type { JobRecord } from "@factotum/store";
import type { RunEnd } from "../queue/run-end.ts";

/** Delays of the attempts after a failure that may pass. */
const RETRIES_MS = [30_000, 60_000, 5 * 60_000, 15 * 60_000, 60 * 60_000] as const;
const ALERT_FROM = 3;
const ALERT_EVERY_MS = 60 * 60_000;
const DISABLE_FROM = 10;

/** How long after attempt `attempt` the next one follows; `undefined` if it was the last. */
export function retryDelayMs(attempt: number): number | undefined {
  return RETRIES_MS[attempt - 1];
}

/**
 * A job after an occurrence: its failures in a row are counted, reported from the third on at most once an hour, and disable it at the tenth. One that needs
 * the owner's permission is disabled and reported at once. Pure.
 */
export function afterRun(
  job: JobRecord,
  { state, reason = "", needsOwner = false }: Pick<RunEnd, "state" | "reason" | "needsOwner">,
  nowMs: number,
): { readonly job: JobRecord; readonly alerts: boolean } {
  if (needsOwner) return { job: disabled(job, reason, nowMs), alerts: true };
  if (state === "done") return { job: { ...job, failures: 0 }, alerts: false };
  if (state !== "failed") return { job, alerts: false };
  const failures = job.failures + 1;
  // The spend guard pauses a heartbeat whose calls fail, and tells the owner.
  if (job.system !== undefined) return { job: { ...job, failures }, alerts: false };
  if (failures >= DISABLE_FROM) {
    return { job: disabled({ ...job, failures }, `it has failed ${failures} times in a row (${reason})`, nowMs), alerts: true };
  }
  const alerts = failures >= ALERT_FROM && (job.alertedAtMs === undefined || nowMs - job.alertedAtMs >= ALERT_EVERY_MS);
  return { job: { ...job, failures, ...(alerts ? { alertedAtMs: nowMs } : {}) }, alerts };
}

function disabled({ nextSlotMs: _none, ...job }: JobRecord, disabledBecause: string, nowMs: number): JobRecord {
  return { ...job, spec: { ...job.spec, enabled: false }, disabledBecause, alertedAtMs: nowMs };
}
