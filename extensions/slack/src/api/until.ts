/** Waits for `promise` or the signal; the promise itself goes on for other callers. */
export async function until<T>(signal: AbortSignal, promise: Promise<T>): Promise<T> {
  const { promise: ended, reject } = Promise.withResolvers<never>();
  const onAbort = (): void => reject(new Error("the call was ended", { cause: signal.reason }));
  if (signal.aborted) onAbort();
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([promise, ended]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
