import type { Clock } from "@factotum/agent-contract";

/** Fires its signal when a run has taken too long, by the monotonic clock, or when `outer` fires. */
export class RunDeadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: Disposable;
  readonly #outer: AbortSignal;
  readonly #onOuter = (): void => this.#controller.abort(this.#outer.reason);

  constructor(timeoutMs: number, options: { readonly clock: Clock; readonly outer: AbortSignal }) {
    this.#outer = options.outer;
    this.#timer = options.clock.schedule(timeoutMs, () => this.#controller.abort(new DeadlinePassed("the run's time is over")));
    if (this.#outer.aborted) this.#onOuter();
    else this.#outer.addEventListener("abort", this.#onOuter, { once: true });
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
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
