import type { Clock } from "@factotum/agent-contract";
import { LaneAbort } from "./lane-abort.ts";

/** How long a person's stop waits for work that ignores its signal. */
const GRACE_MS = 1000;

/**
 * Races work against an abort signal, which it may ignore, and rejects with the signal's reason: at once on a timeout or a shutdown, after a moment if a person
 * stops it, so that nearly finished work is completed and stored in the conversation. A late result is discarded.
 */
export async function raceAbort<Result>(
  work: Promise<Result>,
  { signal, clock }: { readonly signal: AbortSignal; readonly clock: Pick<Clock, "schedule"> },
): Promise<Result> {
  const { promise, reject } = Promise.withResolvers<never>();
  let timer: Disposable | undefined;
  const onAbort = (): void => {
    if (signal.reason instanceof LaneAbort) timer = clock.schedule(GRACE_MS, () => reject(signal.reason));
    else reject(signal.reason);
  };
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
    timer?.[Symbol.dispose]();
  }
}
