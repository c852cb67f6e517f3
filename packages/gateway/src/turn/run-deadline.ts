import type { Clock } from "@factotum/agent-contract";

/** Fires its signal when a run has taken too long, on the monotonic clock. */
export class RunDeadline implements Disposable {
  readonly #controller = new AbortController();
  readonly #timer: Disposable;

  constructor(timeoutMs: number, clock: Clock) {
    this.#timer = clock.schedule(timeoutMs, () => this.#controller.abort(new DeadlinePassed("the run's time is over")));
  }

  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** True when a deadline, and not a person or the end of the process, fired the signal. */
  static caused(signal: AbortSignal): boolean {
    return signal.reason instanceof DeadlinePassed;
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
  }
}

class DeadlinePassed extends Error {}
