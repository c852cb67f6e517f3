import * as z from "zod";
import { parserOf } from "../parser-of.ts";

/** The outcome of one run. */
export interface LastRun {
  readonly state: string;
  readonly reason?: string;
  readonly atMs: number;
}

/** Scheduled jobs and heartbeats. */
export interface ScheduleStatus {
  /** False: `cron.enabled` is off, and nothing runs. */
  readonly enabled: boolean;
  /** By how many milliseconds the scheduler is late; 0 if it is not. */
  readonly lateMs: number;
  readonly jobs: number;
  /** The jobs whose last runs have failed, and those that were disabled for that. */
  readonly failing: readonly { readonly id: string; readonly name: string; readonly failures: number; readonly disabledBecause?: string }[];
  readonly heartbeats: readonly { readonly agentId: string; readonly nextAtMs?: number; readonly last?: LastRun }[];
}

/** Parses the part of a status. */
export const ScheduleStatusSchema: z.ZodType<ScheduleStatus> = parserOf<ScheduleStatus>()(() =>
  z.strictObject({
    enabled: z.boolean(),
    lateMs: z.number(),
    jobs: z.number(),
    failing: z.array(z.strictObject({ id: z.string(), name: z.string(), failures: z.number(), disabledBecause: z.string().optional() })),
    heartbeats: z.array(
      z.strictObject({
        agentId: z.string(),
        nextAtMs: z.number().optional(),
        last: z.strictObject({ state: z.string(), reason: z.string().optional(), atMs: z.number() }).optional(),
      }),
    ),
  }),
);
