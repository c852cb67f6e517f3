/** Passes each item to exactly one waiter, in the order of arrival; items without a waiter are kept. */
export class Arrivals<T> {
  readonly #kept: T[] = [];
  readonly #waiters: ((item: T) => void)[] = [];

  push(item: T): void {
    const waiter = this.#waiters.shift();
    if (waiter === undefined) this.#kept.push(item);
    else waiter(item);
  }

  /** The oldest item that was not passed on yet, or the next one. Rejects with the signal's reason if it is aborted first. */
  next(options: { signal?: AbortSignal } = {}): Promise<T> {
    const { signal } = options;
    if (signal?.aborted === true) return Promise.reject(signal.reason as Error);
    const kept = this.#kept.shift();
    if (kept !== undefined) return Promise.resolve(kept);
    const { promise, resolve, reject } = Promise.withResolvers<T>();
    const waiter = (item: T): void => {
      signal?.removeEventListener("abort", giveUp);
      resolve(item);
    };
    const giveUp = (): void => {
      this.#waiters.splice(this.#waiters.indexOf(waiter), 1);
      reject(signal?.reason as Error);
    };
    this.#waiters.push(waiter);
    signal?.addEventListener("abort", giveUp, { once: true });
    return promise;
  }
}
