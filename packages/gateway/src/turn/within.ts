import type { Clock } from "@factotum/agent-contract";
import { LaneAbort } from "../lanes/session-lanes.ts";

/** How long a person who stops something waits for what does not listen. */
const GRACE_MS = 1000;

/**
 * Waits for work that is told of the signal and may not listen, and rejects with the signal's reason when it goes on for too long: at once when its time
 * is over or the gateway ends, after a moment when a person stops it, so that what is nearly done is done and stands in the conversation. What left
 * work comes to later is nobody's.
 */
export async function within<Result>(
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
