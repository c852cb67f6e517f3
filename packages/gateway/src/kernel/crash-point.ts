/** Places at which a crash is worst. Each lies between two things of which one must not be without the other (R1–R3). */
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

/** The name of one. */
export type CrashPoint = (typeof CRASH_POINTS)[number];

/** Told each time that a crash point is reached; a crash rig ends the process in it. */
export type CrashPointHook = (point: CrashPoint) => void;
