/** A waiter in a line, with the facts by which it is found. */
export type Waiter<Facts extends object = object> = Facts & {
  /** Ends the wait: leaves the line and takes the awaited resource, synchronously. */
  readonly enter: () => void;
};

/**
 * Waits at the end of a line until `enter` of the new waiter is called, which calls `onEnter` synchronously. If the signal fires first, leaves the line and
 * rejects with its reason. Check the signal before the call.
 */
export async function waitInLine<Facts extends object>(
  line: Set<Waiter<Facts>>,
  facts: Facts,
  { signal, onEnter }: { readonly signal: AbortSignal; readonly onEnter: () => void },
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const leave = (): void => {
    line.delete(waiter);
    signal.removeEventListener("abort", onAbort);
  };
  const onAbort = (): void => {
    leave();
    reject(signal.reason instanceof Error ? signal.reason : new Error("aborted", { cause: signal.reason }));
  };
  const waiter: Waiter<Facts> = {
    ...facts,
    enter: () => {
      leave();
      onEnter();
      resolve();
    },
  };
  line.add(waiter);
  signal.addEventListener("abort", onAbort);
  return promise;
}
