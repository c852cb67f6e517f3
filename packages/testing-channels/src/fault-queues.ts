/** The faults of the next requests, and the answers that are held back. */
export class FaultQueues<Fault> {
  /** For requests that change what is shown, oldest first. */
  readonly changes: Fault[] = [];
  /** For other requests, oldest first. */
  readonly reads: Fault[] = [];
  readonly #held: (() => void)[] = [];

  /** Resolves at the next `release`. */
  async hold(): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#held.push(resolve);
    await promise;
  }

  release(): void {
    for (const resolve of this.#held.splice(0)) resolve();
  }
}
