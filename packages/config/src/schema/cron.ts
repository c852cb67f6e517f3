import * as z from "zod";

/** Scheduled jobs. */
export interface CronConfig {
  readonly enabled: boolean;
  readonly jobsMayCreateJobs: boolean;
}

/** Parses `cron`. */
export const CronSchema: z.ZodType<CronConfig> = z
  .strictObject({
    enabled: z.boolean().default(true).describe("Scheduled jobs run. Off: they are kept, and their slots are missed."),
    jobsMayCreateJobs: z.boolean().default(false).describe("Runs of jobs may make, change and start jobs."),
  })
  .describe("Scheduled jobs.");
