/** Wakes waiters for events on the wire. */
export class WireEvents {
  #count = 0;
  #next = Promise.withResolvers<void>();

  /** Everything that has happened so far. */
  get count(): number {
    return this.#count;
  }

  note(): void {
    this.#count += 1;
    const { resolve } = this.#next;
    this.#next = Promise.withResolvers<void>();
    resolve();
  }

  /** Resolves with `true` once the condition holds, with `false` after `stallMs` without any event. */
  async until(condition: () => boolean, options: { readonly stallMs: number }): Promise<boolean> {
    while (!condition()) {
      const stalled = Promise.withResolvers<boolean>();
      const timer = setTimeout(() => stalled.resolve(true), options.stallMs);
      const isStalled = await Promise.race([this.#next.promise.then(() => false), stalled.promise]);
      clearTimeout(timer);
      if (isStalled) return condition();
    }
    return true;
  }
}
