import { ModelError, NO_USAGE, withoutUndefined } from "@factotum/agent-contract";
import type { ModelClient, ModelEvent, ModelRequest } from "@factotum/agent-contract";
import { createFailoverClient, createRetryClient } from "@factotum/models";
import type { Cooldowns, FailoverOptions, RetryOptions } from "@factotum/models";
import type { ModelCallEnd, Observer } from "../observe/observer.ts";
import { OUTER_PLACE } from "../queue/lane-place.ts";
import type { LanePlace } from "../queue/lane-place.ts";
import type { SpendCause, SpendGuard } from "../spend/spend-guard.ts";
import type { ResolvedModel } from "../agents/model-source.ts";
import type { RequestRecorder } from "./request-recorder.ts";

/** Stands for the credential, in cooldowns and messages, of a model that needs none. */
const NO_CREDENTIAL = "no key";

/** Approximate characters per token; the reservation is replaced by the real usage. */
const CHARS_PER_TOKEN = 4;

/** Options of a model chain. */
export interface ModelChainOptions extends FailoverOptions, Pick<RetryOptions, "random" | "withdrawText"> {
  readonly cooldowns: Cooldowns;
  readonly spend: SpendGuard;
  readonly observer: Observer;
  /** Held by each request until its stream ends, except during backoff. Without it, no place is taken. */
  readonly place?: LanePlace;
  /** Records each request. Without it, none is recorded. */
  readonly requests?: Pick<RequestRecorder, "begin">;
}

/**
 * One client over models in fallback order, each with all of its credentials before the next model (R28). Each candidate is retried after transient failures;
 * each try is charged to `cause` before it is sent, and measured. A single model with a single credential never cools down: there is no fallback, and a
 * corrected key must work at once. Throws a `TypeError` without models.
 */
export function modelChain(models: readonly ResolvedModel[], cause: SpendCause, options: ModelChainOptions): ModelClient {
  const { spend, observer, clock, random, withdrawText, place = OUTER_PLACE } = options;
  const retries: RetryOptions = {
    clock,
    random,
    onRetry: (retry) => observer.modelRetried(retry, cause),
    ...withoutUndefined({ withdrawText }),
    aroundPause: async (pause, { signal }) => {
      place.leave();
      await pause();
      // The retrying client checks the signal itself.
      await place.enter(signal).catch(() => undefined);
    },
  };
  const candidates = models.flatMap((model) =>
    model.candidates.map(({ client, credential = NO_CREDENTIAL }) => {
      const metered: ModelClient = {
        info: client.info,
        stream: (request, streamOptions) => meter(client, request, streamOptions, { cause, spend, observer }),
      };
      return { client: createRetryClient(metered, retries), credential };
    }),
  );
  const [only, ...others] = candidates;
  const chain = only !== undefined && others.length === 0 ? only.client : createFailoverClient(candidates, options);
  return {
    info: chain.info,
    stream: (request, streamOptions) => ask(chain, request, streamOptions, { cause, spend, place, requests: options.requests }),
  };
}

/** What a try is charged to and measured by. */
interface Meters {
  readonly cause: SpendCause;
  readonly spend: SpendGuard;
  readonly observer: Observer;
}

/** One try: charged before it is sent, and measured; over the cap it is refused without being sent. */
async function* meter(
  client: ModelClient,
  request: ModelRequest,
  options: { readonly signal: AbortSignal },
  { cause, spend, observer }: Meters,
): AsyncGenerator<ModelEvent, void, undefined> {
  const reservation = await spend.reserve(cause, estimate(request));
  if (reservation.type === "refused") {
    const { message, retryAfterMs } = reservation;
    const retry = retryAfterMs === undefined ? ({ type: "never" } as const) : ({ type: "after", delayMs: retryAfterMs } as const);
    yield { type: "message-failed", error: new ModelError("budget", message, { retry }) };
    return;
  }
  const ended = observer.modelCalled({ provider: client.info.provider, model: client.info.id, kind: cause.kind });
  let end: ModelCallEnd;
  try {
    for await (const event of client.stream(request, options)) {
      if (event.type === "message-end" || event.type === "message-failed") {
        end = event;
        // Before the event is yielded: readers do not resume a stream after its last event.
        reservation.settle((event.type === "message-end" ? event.message.usage : event.partial?.usage) ?? NO_USAGE);
      }
      yield event;
    }
  } finally {
    if (end === undefined) reservation.settle(NO_USAGE);
    ended(end);
  }
}

/** One request with its retries and fallbacks: holds its place, is recorded, and its outcome counts for its cause. */
async function* ask(
  chain: ModelClient,
  request: ModelRequest,
  options: { readonly signal: AbortSignal },
  run: Pick<Meters, "cause" | "spend"> & { readonly place: LanePlace; readonly requests: ModelChainOptions["requests"] },
): AsyncGenerator<ModelEvent, void, undefined> {
  const { place, requests } = run;
  try {
    await place.enter(options.signal);
  } catch (error) {
    yield { type: "message-failed", error: new ModelError("aborted", "Stopped.", { retry: { type: "never" }, cause: error }) };
    return;
  }
  const keep = requests?.begin(request);
  let end: ModelCallEnd;
  try {
    for await (const event of chain.stream(request, options)) {
      if (event.type === "message-end" || event.type === "message-failed") {
        end = event;
        countOutcome(event, run);
        keep?.(event);
      }
      yield event;
    }
  } finally {
    if (end === undefined) keep?.(undefined);
    place.leave();
  }
}

/** Too many failed requests pause an unattended cause; a try that is retried is not a failure yet. */
function countOutcome(end: NonNullable<ModelCallEnd>, { cause, spend }: Pick<Meters, "cause" | "spend">): void {
  if (end.type === "message-end") spend.recordOutcome(cause, "answered");
  // A call that the gateway itself aborted or refused says nothing about the model.
  else if (end.error.code !== "aborted" && end.error.code !== "budget") spend.recordOutcome(cause, "failed");
}

function estimate(request: ModelRequest): number {
  let chars = request.system.stable.length + request.system.session.length;
  for (const message of request.messages) {
    for (const block of message.content) chars += block.type === "text" || block.type === "thinking" ? block.text.length : 200;
  }
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
