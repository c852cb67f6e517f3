import type { Clock } from "@factotum/agent-contract";
import type { ModelTimeouts } from "../timeouts.ts";

/** Why a call was ended from our side. */
export type CallEnd =
  | { readonly type: "aborted" }
  | { readonly type: "timeout"; readonly limit: "connect" | "first-event" | "idle"; readonly limitMs: number };

/** Rejects every wait of a call that was ended. The reason is in `CallGuard.end`. */
class CallEndedError extends Error {
  constructor() {
    super("the call was ended");
    this.name = "CallEndedError";
  }
}

/**
 * Ends one call when its caller wants it or one of the three limits runs out, whatever the provider's client does with the signal.
 *
 * Only time spent waiting for the provider counts: a consumer that is slow to ask for the next event uses up no limit. Progress is what the
 * owner reports as such, so keep-alives never reset anything.
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

  /** For the transport. Aborts without a reason: providers' clients mistake a reason of ours for a failure of theirs. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  /** Why the call was ended, if it was. */
  get end(): CallEnd | undefined {
    return this.#end;
  }

  /** Starts the limit for connecting; `canSee` is asked when it runs out. */
  startConnecting(canSee: () => boolean): void {
    const limitMs = this.#timeouts.connectMs;
    this.#connectTimer = this.#clock.schedule(limitMs, () => {
      if (canSee()) this.#finish({ type: "timeout", limit: "connect", limitMs });
    });
  }

  /** Reports that the request is on its way. */
  connected(): void {
    this.#connectTimer?.[Symbol.dispose]();
    this.#connectTimer = undefined;
  }

  /** Reports that something of the answer came. `quiet`: what comes next may rightly take as long as a first event (a model that thinks). */
  progress(quiet: boolean): void {
    this.#waitedMs = 0;
    this.#answering = true;
    this.#quiet = quiet;
  }

  /** Waits for the provider, as long as the current limit allows. Rejects with `CallEndedError` as soon as the call is ended. */
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
      // Also after an end the work is listened to, so that its late failure is nobody's unhandled rejection.
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

  /** Forgets the caller's signal; for a transport that has come to its end by itself, where an abort would only cost. */
  release(): void {
    this.connected();
    this.#caller.removeEventListener("abort", this.#onAbort);
  }

  /** Ends the transport, if it still runs, and forgets the caller's signal. */
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
