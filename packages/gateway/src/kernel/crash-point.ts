/** The worst points for a crash: between two operations that must not happen without each other (R1–R3). */
export const CRASH_POINTS = [
  "before-inbound-commit",
  "after-inbound-commit",
  "after-claim",
  "mid-stream",
  "mid-tool",
  "after-final-commit",
  "before-send",
  "after-send",
] as const;

/** The same for scheduled jobs: after each of the rows that a slot goes through, and before the last one (R16). */
export const JOB_CRASH_POINTS = ["after-job-claim", "after-job-begin", "before-job-end", "after-job-end"] as const;

/** Between the commit of a sub-agent's task and the start of its work, and after each change of the row of an exchange (R24). */
export const SUBAGENT_CRASH_POINTS = ["after-spawn", "after-exchange"] as const;

/** The name of one. */
export type CrashPoint = (typeof CRASH_POINTS | typeof JOB_CRASH_POINTS | typeof SUBAGENT_CRASH_POINTS)[number];

/** Called each time that a crash point is reached; a crash test ends the process in it. */
export type CrashPointHook = (point: CrashPoint) => void;
