/** A server that runs or starts. */
export interface LiveServer {
  /** It starts or works. */
  readonly isBusy: () => boolean;
  /** It does not yet take calls. A start ends, so its place can be waited for. */
  readonly isStarting: () => boolean;
  /** Ends it, because another one is started. */
  readonly end: () => Promise<void>;
}

/** Keeps the number of servers that run: a new one takes the place of the one that was not used for longest. */
export class ServerCap {
  readonly #max: () => number;
  /** The least recently used first. */
  readonly #live = new Set<LiveServer>();
  #change = Promise.withResolvers<void>();

  constructor(max: () => number) {
    this.#max = max;
  }

  /** Takes a place for a server, and waits while servers start. Rejects if all places are of servers that are working. */
  async take(server: LiveServer): Promise<void> {
    while (this.#live.size >= this.#max()) {
      const resting = [...this.#live].find((one) => !one.isBusy());
      if (resting === undefined) {
        if (![...this.#live].some((one) => one.isStarting()))
          throw new Error(`${this.#live.size} language servers are working, and more may not run (lsp.maxServers); try again later`);
        await this.#change.promise;
        continue;
      }
      this.#live.delete(resting);
      await resting.end();
    }
    this.#live.add(server);
  }

  /** Marks it as used just now. */
  used(server: LiveServer): void {
    if (this.#live.delete(server)) this.#live.add(server);
  }

  release(server: LiveServer): void {
    this.#live.delete(server);
    this.#notify();
  }

  /** Says that a server has started. */
  started(): void {
    this.#notify();
  }

  #notify(): void {
    this.#change.resolve();
    this.#change = Promise.withResolvers();
  }
}
