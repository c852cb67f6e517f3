/** When a job falls due. All times are milliseconds since 1970; a zone is a name of the IANA database. */
export type Schedule = AtSchedule | EverySchedule | CronSchedule;

/** Once, at one instant. */
export interface AtSchedule {
  readonly type: "at";
  readonly atMs: number;
}

/** At the anchor and at every whole multiple of the interval after it, in elapsed time. */
export interface EverySchedule {
  readonly type: "every";
  /** At least one second. */
  readonly everyMs: number;
  readonly anchorMs: number;
}

/** At the local times that a cron expression matches. */
export interface CronSchedule {
  readonly type: "cron";
  /** The first instant after another one, which is excluded; `undefined` if there is none. */
  readonly next: (afterMs: number) => number | undefined;
}

/** A schedule as a person writes it. */
export type ScheduleInput =
  | {
      readonly type: "at";
      /** An ISO time, local if it states no offset, or a duration from now: `20m`, `1h30m`. */
      readonly at: string;
      /** Of a local time; default: the agent's. */
      readonly timezone?: string;
    }
  | {
      readonly type: "every";
      /** A duration: `90s`, `30m`, `1h30m`, `1d`. */
      readonly every: string;
      /** An ISO time; default: now. */
      readonly anchor?: string;
      /** Of a local anchor; default: the agent's. */
      readonly timezone?: string;
    }
  | {
      readonly type: "cron";
      readonly cron: string;
      /** Default: the agent's. */
      readonly timezone?: string;
    };

/** What a written schedule is read against. */
export interface ScheduleContext {
  readonly nowMs: number;
  /** The agent's zone. */
  readonly timezone: string;
}
