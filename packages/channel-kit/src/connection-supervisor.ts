import type { CallOptions, Clock, Random } from "@factotum/channel-contract";
import { backoffDelay } from "./backoff-delay.ts";

/** One established connection. */
export interface SupervisedConnection {
  /** Resolves with the reason once the connection has ended, for whatever cause. */
  readonly ended: Promise<Error>;
  /** Ends it; a goodbye is sent if the platform has one, within the signal. Never rejects. */
  close(options: CallOptions): Promise<void>;
}

/** `idle`: never started, or the start failed. `waiting`: a retry is scheduled. */
export type ConnectionState = "idle" | "connecting" | "connected" | "waiting" | "stopped";

/** How a connection is opened, and when again. */
export interface ConnectionSupervisorOptions<C extends SupervisedConnection> {
  /** Opens a connection; rejects if that fails. The signal fires with the start's signal, and when the supervisor is stopped. */
  open(options: CallOptions): Promise<C>;
  /** Minimum delay in milliseconds before the next attempt after this failure, such as a platform's throttling. None by default. */
  readonly minDelayMs?: (failure: Error) => number;
  /** Called with every failure that is followed by another attempt. */
  readonly onRetry?: (failure: Error, delayMs: number) => void;
  readonly clock: Clock;
  readonly random: Pick<Random, "float">;
}

/** Keeps one connection of an account open. */
export interface ConnectionSupervisor<C extends SupervisedConnection> {
  /**
   * Opens the first connection; rejects if that fails, and can then be called again. Idempotent. From then on a connection that ends is opened again, with
   * backoff, until `stop`.
   */
  start(options: CallOptions): Promise<void>;
  /** The current connection; `undefined` while there is none. */
  readonly connection: C | undefined;
  readonly state: ConnectionState;
  /** Why there is no connection. */
  readonly failure: Error | undefined;
  /** Closes the connection and opens no other. Idempotent. */
  stop(options: CallOptions): Promise<void>;
}

/** A connection that lasted this long counts as sound: the backoff begins again. Shorter ones continue it, so that a platform that drops each is not hammered. */
const SOUND_AFTER_MS = 60_000;

/** Makes a supervisor; it opens nothing before `start`. */
export function createConnectionSupervisor<C extends SupervisedConnection>(
  options: ConnectionSupervisorOptions<C>,
): ConnectionSupervisor<C> {
  return new Supervisor(options);
}

class Supervisor<C extends SupervisedConnection> implements ConnectionSupervisor<C> {
  readonly #options: ConnectionSupervisorOptions<C>;
  readonly #stopped = new AbortController();
  connection: C | undefined;
  state: ConnectionState = "idle";
  failure: Error | undefined;
  #starting: Promise<void> | undefined;
  #retry: Disposable | undefined;
  #attempt = 0;

  constructor(options: ConnectionSupervisorOptions<C>) {
    this.#options = options;
  }

  start({ signal }: CallOptions): Promise<void> {
    if (this.#stopped.signal.aborted) return Promise.reject(new Error("a stopped connection is not started again"));
    this.#starting ??= this.#open(AbortSignal.any([signal, this.#stopped.signal])).catch((error: unknown) => {
      this.#starting = undefined;
      if (!this.#stopped.signal.aborted) this.state = "idle";
      throw error;
    });
    return this.#starting;
  }

  async stop(options: CallOptions): Promise<void> {
    this.#stopped.abort(new Error("the connection was stopped"));
    this.#retry?.[Symbol.dispose]();
    this.state = "stopped";
    const { connection } = this;
    this.connection = undefined;
    await connection?.close(options);
    // An attempt that is under way ends by the signal.
    await this.#starting?.catch(() => undefined);
  }

  async #open(signal: AbortSignal): Promise<void> {
    this.state = "connecting";
    let connection: C;
    try {
      signal.throwIfAborted();
      connection = await this.#options.open({ signal });
    } catch (error) {
      this.failure = toError(error);
      throw error;
    }
    if (this.#stopped.signal.aborted) {
      await connection.close({ signal: AbortSignal.abort() });
      throw toError(this.#stopped.signal.reason);
    }
    this.#attend(connection);
  }

  #attend(connection: C): void {
    const { clock } = this.#options;
    this.connection = connection;
    this.state = "connected";
    this.failure = undefined;
    const sinceMs = clock.monotonic();
    void connection.ended.then((reason) => {
      if (this.connection !== connection) return;
      this.connection = undefined;
      if (clock.monotonic() - sinceMs >= SOUND_AFTER_MS) this.#attempt = 0;
      this.#retryAfter(reason);
    });
  }

  #retryAfter(failure: Error): void {
    const { clock, random, minDelayMs, onRetry } = this.#options;
    this.failure = failure;
    this.state = "waiting";
    const delayMs = (minDelayMs?.(failure) ?? 0) + backoffDelay(this.#attempt, { random });
    this.#attempt += 1;
    onRetry?.(failure, delayMs);
    this.#retry = clock.schedule(delayMs, () => {
      this.#open(this.#stopped.signal).catch((error: unknown) => {
        if (!this.#stopped.signal.aborted) this.#retryAfter(toError(error));
      });
    });
  }
}

function toError(error: unknown): Error {
  return error instanceof Error ? error : new Error("the connection failed", { cause: error });
}
