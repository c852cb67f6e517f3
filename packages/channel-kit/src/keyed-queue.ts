/** Runs tasks of one key in sequence, tasks of different keys in parallel. */
export interface KeyedQueue {
  /** Starts `task` once all earlier tasks of `key` have settled, and settles like it. A failed task does not block the next. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
  /** Resolves once no task is left, including those added while waiting. */
  idle(): Promise<void>;
}

/** A queue that holds no state for a key without tasks. */
export function createKeyedQueue(): KeyedQueue {
  const tails = new Map<string, Promise<unknown>>();
  return {
    run(key, task) {
      const before = tails.get(key);
      const result = before === undefined ? task() : before.then(task);
      const tail = result.then(
        () => undefined,
        () => undefined,
      );
      tails.set(key, tail);
      void tail.then(() => {
        if (tails.get(key) === tail) tails.delete(key);
      });
      return result;
    },
    async idle() {
      while (tails.size > 0) await Promise.all(tails.values());
    },
  };
}
