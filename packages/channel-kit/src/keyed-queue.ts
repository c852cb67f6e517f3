/** Runs tasks of one key one after the other, tasks of different keys side by side. */
export interface KeyedQueue {
  /** Starts `task` when all earlier tasks of `key` have settled, and settles as it does. A failed task does not hold up the next. */
  run<T>(key: string, task: () => Promise<T>): Promise<T>;
  /** Resolves when no task is left, also none that was added while waiting. */
  idle(): Promise<void>;
}

/** A queue that keeps nothing of a key without tasks. */
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
