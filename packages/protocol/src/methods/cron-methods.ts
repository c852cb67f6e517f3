import * as z from "zod";
import {
  OPTIONAL_JOB_PARTS,
  JobChangeShapeSchema,
  JobGrantsSchema,
  JobShapeSchema,
  JobSummarySchema,
  OccurrenceShapeSchema,
  ScheduleShapeSchema,
  type JobGrants,
  type JobShape,
  type JobSummary,
  type OptionalJobPart,
  type OccurrenceShape,
  type ScheduleShape,
} from "../shapes/jobs.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { key, limit } from "./params.ts";

/**
 * Methods of scheduled jobs, for the owner. `job` is an id, or a name that one job alone has. They reject with `not-found` for an unknown job or agent, and with
 * `invalid-request` for what is refused: the message says what to do. Secrets of webhooks are never returned.
 */
export interface CronMethods {
  /** The jobs of an agent, or of all, oldest first. */
  "cron.list": { params: { readonly agentId?: string }; result: { readonly jobs: readonly JobSummary[] } };
  "cron.get": { params: { readonly job: string }; result: { readonly job: JobSummary; readonly grants: JobGrants } };
  /** Makes a job of the owner's. Without an address it reports to the owner's newest direct conversation with the agent. */
  "cron.add": { params: { readonly agentId?: string; readonly spec: JobShape }; result: { readonly job: JobSummary } };
  /** The parts of `change` replace those of the job. `unset` names parts that take their default. */
  "cron.update": {
    params: { readonly job: string; readonly change: Partial<JobShape>; readonly unset?: readonly OptionalJobPart[] };
    result: { readonly job: JobSummary };
  };
  /** Removes it with its outcomes, and stops its run. */
  "cron.remove": { params: { readonly job: string }; result: { readonly job: JobSummary } };
  /** Runs it at once, besides its schedule. Resolves when the run is stored, before it ends. */
  "cron.run": { params: { readonly job: string }; result: { readonly job: JobSummary; readonly slotMs: number } };
  /** Outcomes, newest slot first; 20 by default. */
  "cron.runs": {
    params: { readonly job: string; readonly limit?: number };
    result: { readonly job: JobSummary; readonly runs: readonly OccurrenceShape[] };
  };
  /** The next instants of a schedule that is being written; 10 by default. */
  "cron.preview": {
    params: { readonly agentId?: string; readonly schedule: ScheduleShape; readonly count?: number };
    result: { readonly instantsMs: readonly number[]; readonly timezone: string };
  };
}

const agentId = key.optional();
const oneJob = (): z.ZodType<{ job: JobSummary }> => z.strictObject({ job: JobSummarySchema });

/** Rows of the methods of jobs. */
export const CRON_METHODS: MethodTable<CronMethods> = defineMethods<CronMethods>()({
  "cron.list": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ agentId }),
    result: () => z.strictObject({ jobs: z.array(JobSummarySchema) }),
  },
  "cron.get": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ job: key }),
    result: () => z.strictObject({ job: JobSummarySchema, grants: JobGrantsSchema }),
  },
  "cron.add": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ agentId, spec: JobShapeSchema }),
    result: oneJob,
  },
  "cron.update": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ job: key, change: JobChangeShapeSchema, unset: z.array(z.enum(OPTIONAL_JOB_PARTS)).optional() }),
    result: oneJob,
  },
  "cron.remove": { access: "owner", stores: true, params: () => z.strictObject({ job: key }), result: oneJob },
  "cron.run": {
    access: "owner",
    stores: true,
    params: () => z.strictObject({ job: key }),
    result: () => z.strictObject({ job: JobSummarySchema, slotMs: z.number() }),
  },
  "cron.runs": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ job: key, limit: limit.optional() }),
    result: () => z.strictObject({ job: JobSummarySchema, runs: z.array(OccurrenceShapeSchema) }),
  },
  "cron.preview": {
    access: "owner",
    stores: false,
    params: () => z.strictObject({ agentId, schedule: ScheduleShapeSchema, count: z.number().int().min(1).max(100).optional() }),
    result: () => z.strictObject({ instantsMs: z.array(z.number()), timezone: z.string() }),
  },
});
