import { ModelError } from "@factotum/agent-contract";
import type { Clock, ModelClient, ModelEvent, ModelRequest, Random } from "@factotum/agent-contract";
import { MAX_TRIES, retryDelay } from "./retry-policy.ts";
import { isText } from "./is-text.ts";

/** One retry, reported before its delay. */
export interface ModelRetry {
  readonly provider: string;
  readonly model: string;
  /** The error of the previous attempt. */
  readonly error: ModelError;
  /** Number of the next attempt; the first one is 1. */
  readonly nextTry: number;
  readonly maxTries: number;
  readonly delayMs: number;
}

/** Options of a retrying client. */
export interface RetryOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** Called before each delay. Must not throw. */
  readonly onRetry?: (retry: ModelRetry) => void;
  /** Called if a request with text is to be sent again: true if nobody has seen that text and it is now withdrawn. Default: it was seen. Must not throw. */
  readonly withdrawText?: () => boolean;
  /** Runs the backoff between two tries, for callers that release resources meanwhile. It ends early when the signal fires. Must not reject. */
  readonly aroundPause?: (pause: () => Promise<void>, options: { readonly signal: AbortSignal }) => Promise<void>;
}

/**
 * A client that sends a request up to three times in total if it fails for a transient reason and no text of the answer was shown. The content of a failed
 * attempt is withdrawn by the `message-start` of the next one. An abort ends the delay at once.
 */
export function createRetryClient(client: ModelClient, options: RetryOptions): ModelClient {
  return { info: client.info, stream: (request, { signal }) => retry(client, request, signal, options) };
}

async function* retry(
  client: ModelClient,
  request: ModelRequest,
  signal: AbortSignal,
  { clock, random, onRetry, withdrawText, aroundPause }: RetryOptions,
): AsyncGenerator<ModelEvent, void, undefined> {
  for (let triesMade = 1; ; triesMade++) {
    let hasText = false;
    let start: ModelEvent | undefined;
    let failure: Extract<ModelEvent, { type: "message-failed" }> | undefined;
    for await (const event of client.stream(request, { signal })) {
      hasText ||= isText(event);
      if (event.type === "message-failed") failure = event;
      else if (event.type === "message-start") start = event;
      else {
        if (start !== undefined) yield start;
        start = undefined;
        yield event;
      }
    }
    if (failure === undefined) return;
    const { error } = failure;
    const delayMs = signal.aborted ? undefined : retryDelay(error, { triesMade, random });
    if (delayMs === undefined || (hasText && withdrawText?.() !== true)) {
      yield failure;
      return;
    }
    onRetry?.({ provider: client.info.provider, model: client.info.id, error, nextTry: triesMade + 1, maxTries: MAX_TRIES, delayMs });
    const wait = async (): Promise<void> => pause(delayMs, clock, signal);
    await (aroundPause === undefined ? wait() : aroundPause(wait, { signal }));
    if (signal.aborted) {
      yield { type: "message-failed", error: new ModelError("aborted", "Stopped.", { retry: { type: "never" }, cause: error }) };
      return;
    }
  }
}

/** Resolves when the time is over or the signal fires. */
async function pause(delayMs: number, clock: Clock, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  const onAbort = (): void => resolve();
  signal.addEventListener("abort", onAbort, { once: true });
  using _timer = clock.schedule(delayMs, onAbort);
  await promise;
  signal.removeEventListener("abort", onAbort);
}
