/** Runs tasks of one conversation one after the other, and those of different conversations side by side. Keeps nothing once a task is done. */
export class SendOrder {
  readonly #tails = new Map<string, Promise<unknown>>();

  /** The task must not reject. */
  async run<Result>(conversation: string, task: () => Promise<Result>): Promise<Result> {
    const before = this.#tails.get(conversation) ?? Promise.resolve();
    const mine = before.then(task);
    this.#tails.set(conversation, mine);
    try {
      return await mine;
    } finally {
      if (this.#tails.get(conversation) === mine) this.#tails.delete(conversation);
    }
  }

  /** Resolves when nothing runs any more, or when the signal fires. */
  async idle(signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { promise, resolve } = Promise.withResolvers<void>();
    const end = (): void => resolve();
    signal.addEventListener("abort", end, { once: true });
    await Promise.race([promise, Promise.allSettled(this.#tails.values())]);
    signal.removeEventListener("abort", end);
  }
}
