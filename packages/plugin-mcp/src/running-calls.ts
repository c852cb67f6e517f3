import type { Clock, RunFacts } from "@factotum/agent-contract";

/** Requests of one kind that a person is asked about in one call. */
const MAX_REQUESTS = 5;
/** Progress extends a call up to this many times its limit. */
const MAX_EXTENSION = 10;

/** What a call is about. */
export interface CallFacts {
  readonly callId: string;
  readonly run: RunFacts;
  readonly signal: AbortSignal;
}

/** What a server may ask a person in one call: a few times, and not again after a no. */
export class RequestLimit {
  #taken = 0;
  #isRefused = false;

  /** Whether the person may be asked once more. Counts it. */
  take(): boolean {
    this.#taken += 1;
    return !this.#isRefused && this.#taken <= MAX_REQUESTS;
  }

  /** The person has said no, or nothing: further requests of the call would only press for a yes. */
  refuse(): void {
    this.#isRefused = true;
  }
}

/** A call that a server works on. Its time starts again with progress, and stands still while a person is asked. */
export class RunningCall implements Disposable {
  readonly facts: CallFacts;
  readonly forms: RequestLimit = new RequestLimit();
  readonly samples: RequestLimit = new RequestLimit();
  readonly #timeoutMs: number;
  readonly #clock: Clock;
  readonly #expiry = new AbortController();
  readonly #end = new AbortController();
  readonly #onEnd: (call: RunningCall) => void;
  #timer: Disposable | undefined;
  #pauses = 0;
  #leftMs: number;
  #sinceMs = 0;
  #questions = 0;

  constructor(
    facts: CallFacts,
    { timeoutMs, clock, onEnd }: { readonly timeoutMs: number; readonly clock: Clock; readonly onEnd: (call: RunningCall) => void },
  ) {
    this.facts = facts;
    this.#timeoutMs = timeoutMs;
    this.#clock = clock;
    this.#onEnd = onEnd;
    this.#leftMs = timeoutMs * MAX_EXTENSION;
    this.#run();
  }

  /** Fires when the call is stopped, or its time is over. */
  get signal(): AbortSignal {
    return AbortSignal.any([this.facts.signal, this.#expiry.signal]);
  }

  /** Fires when the call has ended, in whatever way. */
  get ended(): AbortSignal {
    return this.#end.signal;
  }

  /** An id for the next question of the call. */
  nextQuestionId(): string {
    this.#questions += 1;
    return `${this.facts.callId}/question-${this.#questions}`;
  }

  /** The server has said that it works on. */
  progressed(): void {
    if (this.#pauses > 0) return;
    this.#stop();
    this.#run();
  }

  /** Stops the time until the result is disposed. */
  pause(): Disposable {
    if (this.#pauses === 0) this.#stop();
    this.#pauses += 1;
    return {
      [Symbol.dispose]: () => {
        this.#pauses -= 1;
        if (this.#pauses === 0 && !this.#end.signal.aborted) this.#run();
      },
    };
  }

  [Symbol.dispose](): void {
    this.#timer?.[Symbol.dispose]();
    this.#end.abort();
    this.#onEnd(this);
  }

  #run(): void {
    this.#sinceMs = this.#clock.monotonic();
    this.#timer = this.#clock.schedule(Math.min(this.#timeoutMs, this.#leftMs), () => this.#expiry.abort());
  }

  #stop(): void {
    this.#timer?.[Symbol.dispose]();
    this.#leftMs = Math.max(0, this.#leftMs - (this.#clock.monotonic() - this.#sinceMs));
  }
}

/** The calls that one server works on. */
export class RunningCalls {
  readonly #calls = new Set<RunningCall>();
  readonly #options: { readonly timeoutMs: number; readonly clock: Clock };

  constructor(options: { readonly timeoutMs: number; readonly clock: Clock }) {
    this.#options = options;
  }

  get count(): number {
    return this.#calls.size;
  }

  /** Dispose the result when the call ends. */
  begin(facts: CallFacts): RunningCall {
    const call = new RunningCall(facts, { ...this.#options, onEnd: (ended) => this.#calls.delete(ended) });
    this.#calls.add(call);
    return call;
  }

  /**
   * The call that a request of the server is for: the newest one, if all are of one run. Protocols do not say which call a request belongs to, so with calls of
   * several runs the result is `undefined`: what one conversation is asked must not come from another.
   */
  asking(): RunningCall | undefined {
    const calls = [...this.#calls];
    return new Set(calls.map(({ facts }) => facts.run.runId)).size === 1 ? calls.at(-1) : undefined;
  }

  /** Stops the time of all calls until the result is disposed. */
  pause(): Disposable {
    const paused = new DisposableStack();
    for (const call of this.#calls) paused.use(call.pause());
    return paused;
  }
}
