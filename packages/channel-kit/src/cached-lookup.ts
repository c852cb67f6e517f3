import type { CallOptions, ChannelErrorCode, ChannelHost, Retry } from "@factotum/channel-contract";
import { raceAbort } from "./race-abort.ts";

/** Why a query failed. */
export interface LookupFailure {
  readonly code: ChannelErrorCode;
  readonly retry: Retry;
  readonly message: string;
  /** Set if the app lacks a scope: those of which one would do, empty if the platform names none. */
  readonly missingScopes?: readonly string[] | undefined;
}

/** One kind of lookup. */
export interface CachedLookupOptions<T> {
  /** What is missing without it, for log and status: `the names of people in groups`. */
  readonly what: string;
  /** Reported if the platform does not name the missing scope. */
  readonly scope: string;
  /** What a person must do to grant a scope, for status. */
  readonly advice: (scope: string) => string;
  readonly ttlMs: number;
  readonly maxEntries: number;
  /** Queries the platform. */
  readonly ask: (key: string, options: CallOptions) => Promise<T>;
  /** Maps what `ask` rejected with. */
  readonly failureOf: (error: unknown) => LookupFailure;
  readonly host: Pick<ChannelHost, "clock" | "logger">;
  /** Fires when the channel stops; ends the queries. */
  readonly signal: AbortSignal;
}

/** Queries once per key and lifetime, shared by all callers; pauses while the platform refuses. */
export interface CachedLookup<T> {
  /** For people: what is missing and how to get it. */
  readonly problem: string | undefined;
  /**
   * The value, or `undefined` if the query failed or the signal fired. Never rejects. `maxAgeMs`: queries again although the value has not expired. The signal
   * ends the wait, not the query.
   */
  get(key: string, options: CallOptions & { readonly maxAgeMs?: number }): Promise<T | undefined>;
}

interface Entry<T> {
  readonly answer: Promise<T | undefined>;
  readonly askedAtMs: number;
  /** After a failure the next query is sooner. */
  failed: boolean;
}

/** A key that failed, because the bot is not in the chat or the network is down. */
const FAILURE_TTL_MS = 60_000;
/** Scopes are granted on the platform's pages, without notifying the app. */
const SCOPE_PAUSE_MS = 10 * 60_000;
const RATE_LIMIT_PAUSE_MS = 60_000;

/** Creates an empty cache. */
export function createCachedLookup<T>(options: CachedLookupOptions<T>): CachedLookup<T> {
  return new Lookup(options);
}

class Lookup<T> implements CachedLookup<T> {
  readonly #options: CachedLookupOptions<T>;
  /** Oldest first. */
  readonly #entries = new Map<string, Entry<T>>();
  #pausedUntilMs = 0;
  #missingScope: string | undefined;

  constructor(options: CachedLookupOptions<T>) {
    this.#options = options;
  }

  get problem(): string | undefined {
    const { what, advice } = this.#options;
    return this.#missingScope === undefined ? undefined : `the app may not read ${what}: ${advice(this.#missingScope)}`;
  }

  async get(
    key: string,
    { signal, maxAgeMs = Number.POSITIVE_INFINITY }: CallOptions & { readonly maxAgeMs?: number },
  ): Promise<T | undefined> {
    const nowMs = this.#options.host.clock.monotonic();
    const cached = this.#entries.get(key);
    const lifeMs = Math.min(maxAgeMs, cached?.failed === true ? FAILURE_TTL_MS : this.#options.ttlMs);
    const isFresh = cached !== undefined && nowMs - cached.askedAtMs < lifeMs;
    if (!isFresh && nowMs >= this.#pausedUntilMs) this.#request(key, nowMs);
    const entry = this.#entries.get(key);
    // The answer never rejects: what is caught is the abort.
    return entry === undefined ? undefined : raceAbort(entry.answer, { signal }).catch(() => undefined);
  }

  #request(key: string, nowMs: number): void {
    const { ask, maxEntries, signal } = this.#options;
    const entry: Entry<T> = {
      askedAtMs: nowMs,
      failed: false,
      answer: ask(key, { signal }).then(
        (value) => {
          this.#missingScope = undefined;
          return value;
        },
        (error: unknown) => {
          entry.failed = true;
          this.#recordFailure(error);
          return undefined;
        },
      ),
    };
    this.#entries.delete(key);
    this.#entries.set(key, entry);
    for (const oldest of this.#entries.keys()) {
      if (this.#entries.size <= maxEntries) break;
      this.#entries.delete(oldest);
    }
  }

  #recordFailure(error: unknown): void {
    const { host, scope, what, failureOf } = this.#options;
    const { code, retry, message, missingScopes } = failureOf(error);
    const nowMs = host.clock.monotonic();
    if (missingScopes !== undefined) {
      const missing = missingScopes.length === 0 ? scope : missingScopes.join(" or ");
      if (this.#missingScope === undefined) host.logger.warn(`the app may not read ${what}`, { missingScope: missing });
      this.#missingScope = missing;
      this.#pausedUntilMs = nowMs + SCOPE_PAUSE_MS;
    } else if (code === "rate-limited") {
      this.#pausedUntilMs = nowMs + (retry.type === "after" ? retry.delayMs : RATE_LIMIT_PAUSE_MS);
    }
    host.logger.debug(`${what} could not be read`, { code, error: message });
  }
}
