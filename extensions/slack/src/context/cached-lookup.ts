import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { missingScopes, toChannelError } from "../errors.ts";

/** One kind of lookup. */
export interface LookupOptions<T> {
  /** What is missing without it, for log and status: `the names of people in groups`. */
  readonly what: string;
  /** Reported if the platform does not name the missing scope. */
  readonly scope: string;
  readonly ttlMs: number;
  readonly maxEntries: number;
  /** Queries the platform; rejects with a SlackFailure. */
  readonly ask: (key: string, options: CallOptions) => Promise<T>;
  readonly host: Pick<ChannelHost, "clock" | "logger">;
  /** Fires when the channel stops. */
  readonly signal: AbortSignal;
}

interface Entry<T> {
  readonly answer: Promise<T | undefined>;
  readonly askedAtMs: number;
  /** After a failure the next query is sooner. */
  failed: boolean;
}

/** A key that failed, because the bot is not in the chat or the network is down. */
const FAILURE_TTL_MS = 60_000;
/** Scopes are granted in the console, without notifying the app. */
const SCOPE_PAUSE_MS = 10 * 60_000;
const RATE_LIMIT_PAUSE_MS = 60_000;

/** Queries once per key and lifetime, shared by all waiters; pauses while the platform refuses. A failed lookup gives `undefined`. */
export class CachedLookup<T> {
  readonly #options: LookupOptions<T>;
  /** Oldest first. */
  readonly #entries = new Map<string, Entry<T>>();
  #pausedUntilMs = 0;
  #missingScope: string | undefined;

  constructor(options: LookupOptions<T>) {
    this.#options = options;
  }

  /** For people: what is missing and how to get it. */
  get problem(): string | undefined {
    return this.#missingScope === undefined
      ? undefined
      : `the app may not read ${this.#options.what}: grant it ${this.#missingScope} in the app settings, OAuth & Permissions, and reinstall the app`;
  }

  /** Never rejects. `maxAgeMs`: query again although the result has not expired. An aborted signal ends the wait, not the query. */
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
    return entry === undefined || signal.aborted ? undefined : unlessAborted(entry.answer, signal);
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
    const { host, scope, what } = this.#options;
    const { code, retry, message } = toChannelError(error);
    const nowMs = host.clock.monotonic();
    const scopes = missingScopes(error);
    if (scopes !== undefined) {
      const missing = scopes.length === 0 ? scope : scopes.join(" or ");
      if (this.#missingScope === undefined) host.logger.warn(`slack: the app may not read ${what}`, { missingScope: missing });
      this.#missingScope = missing;
      this.#pausedUntilMs = nowMs + SCOPE_PAUSE_MS;
    } else if (code === "rate-limited") {
      this.#pausedUntilMs = nowMs + (retry.type === "after" ? retry.delayMs : RATE_LIMIT_PAUSE_MS);
    }
    host.logger.debug(`slack: ${what} could not be read`, { code, error: message });
  }
}

/** The answer, or `undefined` once the signal fires. The signal may live as long as the channel, so no listener is left on it. */
async function unlessAborted<T>(answer: Promise<T>, signal: AbortSignal): Promise<T | undefined> {
  const { promise, resolve } = Promise.withResolvers<undefined>();
  const onAbort = (): void => resolve(undefined);
  signal.addEventListener("abort", onAbort, { once: true });
  try {
    return await Promise.race([answer, promise]);
  } finally {
    signal.removeEventListener("abort", onAbort);
  }
}
