import type { Clock } from "@factotum/agent-contract";

/** Races work against a time limit, after which it resolves with `late`, and against an abort signal, with whose reason it rejects. The work is not stopped; a late result is discarded. */
export async function raceLimit<Result>(
  work: () => Promise<Result>,
  {
    late,
    limitMs,
    clock,
    signal,
  }: { readonly late: Result; readonly limitMs: number; readonly clock: Clock; readonly signal: AbortSignal },
): Promise<Result> {
  signal.throwIfAborted();
  const { promise, resolve, reject } = Promise.withResolvers<Result>();
  using timer = clock.schedule(limitMs, () => resolve(late));
  void timer;
  const onAbort = (): void => reject(signal.reason as Error);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([work(), promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
