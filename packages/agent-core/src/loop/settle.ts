/** How foreign work ended. `started` distinguishes an abort before its start from one during it. */
export type Settled<T> =
  | { readonly type: "value"; readonly value: T }
  | { readonly type: "error"; readonly error: unknown }
  | { readonly type: "aborted"; readonly started: boolean };

/**
 * Runs foreign work until it ends or the signal fires, whichever is first. Never rejects, and never waits for work that ignores the signal, whose late result
 * is discarded. After an abort the work is not started.
 */
export function settle<T>(work: () => Promise<T>, signal: AbortSignal): Promise<Settled<T>> {
  if (signal.aborted) return Promise.resolve({ type: "aborted", started: false });
  return new Promise((resolve) => {
    const finish = (settled: Settled<T>): void => {
      signal.removeEventListener("abort", onAbort);
      resolve(settled);
    };
    const onAbort = (): void => finish({ type: "aborted", started: true });
    signal.addEventListener("abort", onAbort, { once: true });
    startSafely(work).then(
      (value) => finish({ type: "value", value }),
      (error: unknown) => finish({ type: "error", error }),
    );
  });
}

/** A synchronous throw becomes a rejection. */
async function startSafely<T>(work: () => Promise<T>): Promise<T> {
  return await work();
}

/** The message of a thrown value, for people and models. */
export function describeError(error: unknown): string {
  if (error instanceof Error) return error.message === "" ? error.name : error.message;
  return typeof error === "string" && error !== "" ? error : "unknown error";
}
