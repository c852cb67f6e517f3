const MAX_PENDING_CHARS = 65_536;

/**
 * Output of running tools on its way to the consumer. Holds at most 65,536 characters a call: a consumer that is slower than the tool
 * misses the oldest ones, which matter least to somebody who watches.
 */
export class DeltaQueue {
  #pending = new Map<string, string>();
  #wake = Promise.withResolvers<void>();

  /** Adds output of one call. */
  push(callId: string, text: string): void {
    this.#pending.set(callId, `${this.#pending.get(callId) ?? ""}${text}`.slice(-MAX_PENDING_CHARS));
    this.#wake.resolve();
  }

  /** Resolves when there is output. */
  get waiting(): Promise<void> {
    return this.#wake.promise;
  }

  /** Takes all output, by call. */
  drain(): readonly { readonly callId: string; readonly text: string }[] {
    const drained = Array.from(this.#pending, ([callId, text]) => ({ callId, text: text.toWellFormed() }));
    this.#pending = new Map();
    this.#wake = Promise.withResolvers<void>();
    return drained;
  }
}
