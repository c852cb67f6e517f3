import type { CallOptions } from "@factotum/channel-contract";

/**
 * Races work against an abort signal and rejects with the signal's reason once it fires. The work goes on for its other callers; a late result is discarded. No
 * listener is left on the signal, which may live as long as the channel.
 */
export async function raceAbort<T>(work: Promise<T>, { signal }: CallOptions): Promise<T> {
  const { promise, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(signal.reason as Error);
  if (signal.aborted) onAbort();
  else signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, work]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
