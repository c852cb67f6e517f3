import type { Clock } from "@factotum/agent-contract";

/**
 * The wall clock for deletions by age: a jump forward does not count in this process, so that nothing recent counts as old. A clock that is set back is
 * followed: then things are kept longer. Time that the machine sleeps may not count either.
 */
export function createSteadyNow(clock: Pick<Clock, "now" | "monotonic">): () => number {
  const [startMs, monotonicMs] = [clock.now(), clock.monotonic()];
  return () => Math.min(clock.now(), startMs + clock.monotonic() - monotonicMs);
}
