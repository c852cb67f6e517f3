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

/** The name of one. */
export type CrashPoint = (typeof CRASH_POINTS)[number];

/** Called each time that a crash point is reached; a crash test ends the process in it. */
export type CrashPointHook = (point: CrashPoint) => void;
