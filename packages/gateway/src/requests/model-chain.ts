import { ModelError, NO_USAGE, withoutUndefined } from "@factotum/agent-contract";
import type { Clock, ModelClient, ModelEvent, ModelRequest, RunKind, Usage } from "@factotum/agent-contract";
import { createFailoverClient, createRetryClient } from "@factotum/models";
import type { HookModelCall, HookPayloads } from "@factotum/plugin";
import type { Cooldowns, FailoverOptions, RetryOptions } from "@factotum/models";
import type { HookRunner } from "../hooks/hook-runner.ts";
import type { ModelCallEnd, Observer } from "../observe/observer.ts";
import { isTransientFailure } from "../kernel/transient-failure.ts";
import { OUTER_PLACE } from "../queue/lane-place.ts";
import type { LanePlace } from "../queue/lane-place.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import type { CredentialCall } from "../spend/credential-gate.ts";
import type { Reservation, SpendCause, SpendGuard, SpendRefusal } from "../spend/spend-guard.ts";
import type { ResolvedModel } from "../agents/model-source.ts";
import { mostUsage } from "./most-usage.ts";
import type { RequestRecorder } from "./request-recorder.ts";

/** Stands for the credential, in cooldowns and messages, of a model that needs none. */
const NO_CREDENTIAL = "no key";

/** What a call is charged to, and whose it is. */
export interface ModelCause extends SpendCause {
  /** Empty for a call without a conversation. */
  readonly sessionKey: string;
  readonly owner: boolean;
  /** The kind of run that pays for it, if it is not `kind`: what has started a sub-agent pays for that. */
  readonly chargedTo?: RunKind;
}

/** Approximate characters per token; the reservation is replaced by the real usage. */
const CHARS_PER_TOKEN = 4;

/** Options of a model chain. */
export interface ModelChainOptions extends FailoverOptions, Pick<RetryOptions, "random" | "withdrawText"> {
  readonly cooldowns: Cooldowns;
  readonly spend: SpendGuard;
  readonly observer: Observer;
  /** Their handlers may deny each try, and observe it. */
  readonly hooks: HookRunner;
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
export function modelChain(models: readonly ResolvedModel[], cause: ModelCause, options: ModelChainOptions): ModelClient {
  const { spend, observer, hooks, clock, random, withdrawText, place = OUTER_PLACE } = options;
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
  const isOnly = models.flatMap((model) => model.candidates).length === 1;
  const candidates = models.flatMap((model) =>
    model.candidates.map(({ client, credential = NO_CREDENTIAL }) => {
      const meters = { cause, spend, observer, hooks, clock, credential, isOnly };
      const metered: ModelClient = {
        info: client.info,
        stream: (request, streamOptions) => meter(client, request, streamOptions, meters),
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
  readonly cause: ModelCause;
  readonly spend: SpendGuard;
  readonly observer: Observer;
  readonly hooks: HookRunner;
  readonly clock: Clock;
  /** Name of the credential. */
  readonly credential: string;
  /** There is no other credential or model to ask. */
  readonly isOnly: boolean;
}

/** One try: allowed by the handlers of hooks, charged before it is sent, and measured; over the cap it is refused without being sent. */
async function* meter(
  client: ModelClient,
  request: ModelRequest,
  options: { readonly signal: AbortSignal },
  meters: Meters,
): AsyncGenerator<ModelEvent, void, undefined> {
  const { cause, observer, hooks, clock } = meters;
  const { agentId, sessionKey, owner, kind } = cause;
  const call = { agentId, sessionKey, owner, kind, provider: client.info.provider, model: client.info.id };
  const denied = await denialOf(call, request, { hooks, signal: options.signal });
  if (denied !== undefined) {
    yield { type: "message-failed", error: denied };
    return;
  }
  const admitted = await admitCredential(client, meters, options);
  if (admitted instanceof ModelError) {
    yield { type: "message-failed", error: admitted };
    return;
  }
  using judged = admitted;
  const reservation = await reserve(client, request, options, meters);
  if (reservation instanceof ModelError) {
    yield { type: "message-failed", error: reservation };
    return;
  }
  if (reservation.type === "refused") {
    const { message, retryAfterMs } = reservation;
    const retry = retryAfterMs === undefined ? ({ type: "never" } as const) : ({ type: "after", delayMs: retryAfterMs } as const);
    yield { type: "message-failed", error: new ModelError("budget", message, { retry }) };
    return;
  }
  const ended = observer.modelCalled({ provider: client.info.provider, model: client.info.id, kind: cause.kind });
  const startedAtMs = clock.monotonic();
  let end: ModelCallEnd;
  try {
    for await (const event of client.stream(request, options)) {
      judged.observe(event);
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
    hooks.observe("after_model_call", () => ({ ...call, ...endFacts(end), durationMs: Math.round(clock.monotonic() - startedAtMs) }));
  }
}

/** Charges a try before it is sent; an error if its run is stopped while it waits for room in the budget of its tree. */
async function reserve(
  { info }: ModelClient,
  request: ModelRequest,
  { signal }: { readonly signal: AbortSignal },
  { cause, spend }: Meters,
): Promise<Reservation | SpendRefusal | ModelError> {
  try {
    return await spend.reserve(chargeOf(cause), estimate(request), { most: () => mostUsage(request, info), signal });
  } catch (error) {
    if (!signal.aborted) throw error;
    return new ModelError("aborted", "Stopped.", { retry: { type: "never" }, cause: error });
  }
}

/** Waits until an unattended run may ask with a credential; an error if it may not. With another candidate that one is asked then. */
async function admitCredential(
  { info }: ModelClient,
  { cause, spend, credential, isOnly }: Meters,
  { signal }: { readonly signal: AbortSignal },
): Promise<CredentialCall | ModelError> {
  const retry = { type: "never" } as const;
  const name = { provider: info.provider, credential };
  try {
    const call = await spend.credentials.enter(name, { isAttended: RUN_POLICY[chargeOf(cause).kind].isAttended, signal });
    if (call !== undefined) return call;
  } catch (error) {
    if (!signal.aborted) throw error;
    return new ModelError("aborted", "Stopped.", { retry, cause: error });
  }
  if (isOnly) return new ModelError("budget", spend.pauseRefused(chargeOf(cause), name), { retry });
  return new ModelError("unauthorized", `Not asked, because it has refused its key (${credential}) again and again.`, { retry });
}

/** Why a try must not be sent; `undefined` if it may. */
async function denialOf(
  call: HookModelCall,
  request: ModelRequest,
  { hooks, signal }: { readonly hooks: HookRunner; readonly signal: AbortSignal },
): Promise<ModelError | undefined> {
  if (!hooks.has("before_model_call")) return undefined;
  const payload = { ...call, messages: request.messages.length, inputTokens: estimate(request) };
  const denial = await hooks.beforeModelCall(payload, signal);
  if (signal.aborted) return new ModelError("aborted", "Stopped.", { retry: { type: "never" } });
  return denial === undefined ? undefined : new ModelError("denied", denial, { retry: { type: "never" } });
}

/** The end of a try, for handlers of hooks. */
function endFacts(end: ModelCallEnd): Pick<HookPayloads["after_model_call"], "outcome" | "stopReason" | "error" | "usage" | "costUsd"> {
  const said = end?.type === "message-end" ? end.message : end?.partial;
  const failure = end?.type === "message-failed" ? end.error.code : undefined;
  const outcome = end === undefined || failure === "aborted" ? "stopped" : failure === undefined ? "answered" : "failed";
  return {
    outcome,
    ...withoutUndefined({ stopReason: end?.type === "message-end" ? end.message.stopReason : undefined, error: failure }),
    ...usageFacts(said?.usage),
  };
}

function usageFacts(used: Usage | undefined): Pick<HookPayloads["after_model_call"], "usage" | "costUsd"> {
  if (used === undefined) return {};
  const { input, output, cacheRead, cacheWrite, total, costUsd } = used;
  return { usage: { input, output, cacheRead, cacheWrite, total }, ...withoutUndefined({ costUsd }) };
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
  const charge = chargeOf(cause);
  if (end.type === "message-end") return spend.recordOutcome(charge, "answered");
  const { code } = end.error;
  // A call that the gateway itself aborted or refused says nothing about the model.
  if (code === "aborted" || code === "budget" || code === "denied") return;
  // The schedule tries a job again, ever more rarely, and disables one that keeps failing.
  if (charge.kind === "cron" && isTransientFailure(code)) return;
  spend.recordOutcome(charge, "failed");
}

function chargeOf({ agentId, kind, chargedTo = kind, tree }: ModelCause): SpendCause {
  return { agentId, kind: chargedTo, ...withoutUndefined({ tree }) };
}

function estimate(request: ModelRequest): number {
  let chars = request.system.stable.length + request.system.session.length;
  for (const message of request.messages) {
    for (const block of message.content) chars += block.type === "text" || block.type === "thinking" ? block.text.length : 200;
  }
  return Math.ceil(chars / CHARS_PER_TOKEN);
}
