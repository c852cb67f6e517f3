const MAX_PENDING_CHARS = 65_536;

/**
 * Buffers output of running tools for the consumer. Keeps at most 65,536 characters per call: a consumer that is slower than the tool misses the oldest output,
 * which matters least to watchers.
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
