import { readFile, stat } from "node:fs/promises";
import { setTimeout as delay } from "node:timers/promises";
import type { StatePaths } from "@factotum/config";

const POLL_MS = 50;

/** How long a start may take. */
export interface StartLimits {
  /** Milliseconds without progress after which it is no longer waited for. */
  readonly stallMs: number;
  /** Milliseconds in all. */
  readonly maxMs: number;
}

/** A busy machine may need a minute to load the program, and a large database longer to be checked. */
export const START_LIMITS: StartLimits = { stallMs: 30_000, maxMs: 300_000 };

/** What a wait for a start needs. */
export interface StartWait<Value> {
  /** The started gateway; `undefined` while it is not ready. */
  readonly look: () => Promise<Value | undefined>;
  /** A text that changes while the start makes progress. */
  readonly progress: () => Promise<string>;
  readonly limits: StartLimits;
  readonly signal: AbortSignal;
  /** Monotonic milliseconds. */
  readonly now?: () => number;
  /** Waits between two looks. */
  readonly pause?: () => Promise<void>;
}

/** The gateway, or how long it was waited for in vain. */
export type StartResult<Value> = { readonly type: "ready"; readonly value: Value } | { readonly type: "late"; readonly waitedMs: number };

/** Waits until a gateway is ready, as long as it makes progress within the limits and the signal does not fire. */
export async function waitForStart<Value>({
  look,
  progress,
  limits,
  signal,
  now = () => performance.now(),
  pause = async () => delay(POLL_MS),
}: StartWait<Value>): Promise<StartResult<Value>> {
  const startMs = now();
  let known = await progress();
  let changedMs = startMs;
  for (;;) {
    const value = await look();
    if (value !== undefined) return { type: "ready", value };
    const nowMs = now();
    const current = await progress();
    if (current !== known) [known, changedMs] = [current, nowMs];
    if (signal.aborted || nowMs - changedMs >= limits.stallMs || nowMs - startMs >= limits.maxMs)
      return { type: "late", waitedMs: nowMs - startMs };
    await pause();
  }
}

/** The progress of a starting gateway: what it has written, and on Linux its CPU time if its process is known. */
export async function startProgress({ outputFile, logFile }: StatePaths, pid?: number): Promise<string> {
  const sizes = await Promise.all([outputFile, logFile].map(sizeOf));
  return [...sizes, pid === undefined ? "" : await cpuTicks(pid)].join(" ");
}

async function sizeOf(file: string): Promise<string> {
  const found = await stat(file).catch(unlessUnreadable);
  return found === undefined ? "" : `${found.ino}:${found.size}`;
}

async function cpuTicks(pid: number): Promise<string> {
  const text = await readFile(`/proc/${pid}/stat`, "utf8").catch(unlessUnreadable);
  // The name before the last bracket may contain spaces. User and system time are the fields 14 and 15.
  return (
    text
      ?.slice(text.lastIndexOf(")") + 2)
      .split(" ")
      .slice(11, 13)
      .join("+") ?? ""
  );
}

function unlessUnreadable(error: unknown): undefined {
  if (error instanceof Error && "code" in error) return undefined;
  throw error;
}
