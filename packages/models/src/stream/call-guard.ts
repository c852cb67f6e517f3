import type { Clock } from "@factotum/agent-contract";
import type { ModelTimeouts } from "../timeouts.ts";

/** Why we ended a call. */
export type CallEnd =
  | { readonly type: "aborted" }
  | { readonly type: "timeout"; readonly limit: "connect" | "first-event" | "idle"; readonly limitMs: number };

/** Rejects every wait of an ended call. The reason is in `CallGuard.end`. */
class CallEndedError extends Error {
  constructor() {
    super("the call was ended");
    this.name = "CallEndedError";
  }
}

/**
 * Ends one call when its caller aborts it or one of the three limits runs out, even if the provider's client ignores the signal.
 *
 * Only time spent waiting for the provider counts: a slow consumer uses up no limit. The owner reports progress explicitly, so keep-alives never reset a limit.
 */
export class CallGuard implements Disposable {
  readonly #clock: Clock;
  readonly #timeouts: ModelTimeouts;
  readonly #controller = new AbortController();
  readonly #caller: AbortSignal;
  readonly #onAbort = (): void => this.#finish({ type: "aborted" });
  #connectTimer: Disposable | undefined;
  #waitedMs = 0;
  #answering = false;
  #quiet = false;
  #end: CallEnd | undefined;
  #rejectWait: ((error: Error) => void) | undefined;

  constructor(options: { readonly signal: AbortSignal; readonly timeouts: ModelTimeouts; readonly clock: Clock }) {
    this.#clock = options.clock;
    this.#timeouts = options.timeouts;
    this.#caller = options.signal;
    if (options.signal.aborted) this.#onAbort();
    else options.signal.addEventListener("abort", this.#onAbort, { once: true });
  }

  /** For the transport. Aborts without a reason: providers' clients mistake our reason for a failure of theirs. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the call was ended; undefined while it runs. */
  get end(): CallEnd | undefined {
    return this.#end;
  }

  /** Starts the limit for connecting; `canSee` is checked when it runs out. */
  startConnecting(canSee: () => boolean): void {
    const limitMs = this.#timeouts.connectMs;
    this.#connectTimer = this.#clock.schedule(limitMs, () => {
      if (canSee()) this.#finish({ type: "timeout", limit: "connect", limitMs });
    });
  }

  /** Reports that the request was sent. */
  connected(): void {
    this.#connectTimer?.[Symbol.dispose]();
    this.#connectTimer = undefined;
  }

  /** Reports progress of the answer. `quiet`: the next part may take as long as a first event (a model that thinks). */
  progress(quiet: boolean): void {
    this.#waitedMs = 0;
    this.#answering = true;
    this.#quiet = quiet;
  }

  /** Waits for the provider, within the current limit. Rejects with `CallEndedError` as soon as the call is ended. */
  wait<T>(work: PromiseLike<T>): Promise<T> {
    return new Promise<T>((resolve, reject) => {
      const startedMs = this.#clock.monotonic();
      const timer = this.#end === undefined ? this.#startTimer() : undefined;
      const settle = (): void => {
        timer?.[Symbol.dispose]();
        this.#waitedMs += this.#clock.monotonic() - startedMs;
        this.#rejectWait = undefined;
      };
      this.#rejectWait = reject;
      // Attached even after an end, so that a late failure is not an unhandled rejection.
      work.then(
        (value) => {
          settle();
          resolve(value);
        },
        (error: unknown) => {
          settle();
          reject(error instanceof Error ? error : new Error("the provider's client failed without an error", { cause: error }));
        },
      );
      if (this.#end !== undefined) reject(new CallEndedError());
    });
  }

  /** Removes the listener of the caller's signal, after the transport has ended by itself and an abort would only cost time. */
  release(): void {
    this.connected();
    this.#caller.removeEventListener("abort", this.#onAbort);
  }

  /** Ends the transport, if it still runs, and removes the listener of the caller's signal. */
  [Symbol.dispose](): void {
    this.release();
    this.#controller.abort();
  }

  #startTimer(): Disposable {
    const { firstEventMs, idleMs } = this.#timeouts;
    const isIdle = this.#answering && !this.#quiet;
    const limit = isIdle ? "idle" : "first-event";
    const limitMs = isIdle ? idleMs : this.#answering ? Math.max(firstEventMs, idleMs) : firstEventMs;
    return this.#clock.schedule(Math.max(0, limitMs - this.#waitedMs), () => this.#finish({ type: "timeout", limit, limitMs }));
  }

  #finish(end: CallEnd): void {
    if (this.#end !== undefined) return;
    this.#end = end;
    this.#controller.abort();
    this.#rejectWait?.(new CallEndedError());
  }
}
