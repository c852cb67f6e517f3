import type { GatewayStatus, JobSummary } from "@factotum/protocol";

/** A run that is to come. */
export interface NextRun {
  readonly id: string;
  /** The job's; a heartbeat has none. */
  readonly name?: string;
  readonly agentId: string;
  readonly atMs: number;
}

/** The next run of each job and heartbeat, soonest first. Jobs that are switched off have none. */
export function nextRuns(jobs: readonly JobSummary[], heartbeats: GatewayStatus["schedule"]["heartbeats"]): readonly NextRun[] {
  const ofJobs = jobs.flatMap(({ id, agentId, spec, nextAtMs, disabledBecause }) =>
    nextAtMs === undefined || spec.enabled === false || disabledBecause !== undefined
      ? []
      : [{ id, name: spec.name, agentId, atMs: nextAtMs }],
  );
  const ofHeartbeats = heartbeats.flatMap(({ agentId, nextAtMs }) =>
    nextAtMs === undefined ? [] : [{ id: `heartbeat ${agentId}`, agentId, atMs: nextAtMs }],
  );
  return [...ofJobs, ...ofHeartbeats].sort((a, b) => a.atMs - b.atMs);
}
