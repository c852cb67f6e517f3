import type { Clock } from "@factotum/agent-contract";

/** Fires its signal when a run has taken too long, by the monotonic clock, or when `outer` fires. */
export class RunDeadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #clock: Clock;
  readonly #outer: AbortSignal;
  #timer: Disposable;
  /** Milliseconds that were left when the timer was set, and when that was. */
  #left: { readonly ms: number; readonly sinceMs: number };
  #pauses = 0;
  readonly #onOuter = (): void => this.#controller.abort(this.#outer.reason);

  constructor(timeoutMs: number, options: { readonly clock: Clock; readonly outer: AbortSignal }) {
    this.#outer = options.outer;
    this.#clock = options.clock;
    this.#left = { ms: timeoutMs, sinceMs: options.clock.monotonic() };
    this.#timer = this.#schedule();
    if (this.#outer.aborted) this.#onOuter();
    else this.#outer.addEventListener("abort", this.#onOuter, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Stops the time until the result is disposed: waiting for a person does not count. */
  pause(): Disposable {
    if (this.#pauses === 0) {
      this.#timer[Symbol.dispose]();
      const nowMs = this.#clock.monotonic();
      this.#left = { ms: Math.max(0, this.#left.ms - (nowMs - this.#left.sinceMs)), sinceMs: nowMs };
    }
    this.#pauses += 1;
    return {
      [Symbol.dispose]: () => {
        this.#pauses -= 1;
        if (this.#pauses > 0) return;
        this.#left = { ...this.#left, sinceMs: this.#clock.monotonic() };
        this.#timer = this.#schedule();
      },
    };
  }

  #schedule(): Disposable {
    return this.#clock.schedule(this.#left.ms, () => this.#controller.abort(new DeadlinePassed("the run's time is over")));
  }

  /** Fires the signal with this reason. */
  end(reason: unknown): void {
    this.#controller.abort(reason);
  }

  /** True if a deadline fired the signal, and not a person or a shutdown. */
  static caused(signal: AbortSignal): boolean {
    return signal.reason instanceof DeadlinePassed;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    this.#outer.removeEventListener("abort", this.#onOuter);
  }
}

class DeadlinePassed extends Error {}
