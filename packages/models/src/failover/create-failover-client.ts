import type { Clock, ModelClient, ModelError, ModelEvent } from "@factotum/agent-contract";
import { type CandidateKey, Cooldowns } from "./cooldowns.ts";
import { type Attempt, FailoverPlan } from "./failover-plan.ts";
import { isText } from "./is-text.ts";

/** A client, bound to one model and one credential. */
export interface FailoverCandidate {
  readonly client: ModelClient;
  /** A name of the credential for cooldowns and messages, never its value. */
  readonly credential: string;
}

/** Reported if another candidate than the first answers. */
export interface FailoverSwitch {
  readonly from: { readonly provider: string; readonly model: string; readonly credential: string };
  readonly to: { readonly provider: string; readonly model: string; readonly credential: string };
  /** True if the answer comes from another model, of which the user is notified; another credential of the same model is not reported. */
  readonly modelChanged: boolean;
  /** The error code of each earlier candidate. */
  readonly reasons: readonly {
    readonly provider: string;
    readonly model: string;
    readonly credential: string;
    readonly type: "failed" | "skipped";
    readonly reason: ModelError["code"];
  }[];
}

/** Options of a failover client. */
export interface FailoverOptions {
  readonly clock: Clock;
  /** Shared by all clients that use the same credentials. Defaults to a new instance. */
  readonly cooldowns?: Cooldowns;
  /** Called if another candidate than the first answers, before its first event; again if the answer is withdrawn and the next candidate answers. Must not throw. */
  readonly onSwitch?: (change: FailoverSwitch) => void;
  /** Called for each call with the answering candidate, before its first event; again if the answer is withdrawn. Must not throw. */
  readonly onAnswer?: (candidate: CandidateKey) => void;
  /** Called if a candidate fails after text: true if nobody has seen that text and it is now withdrawn. Default: it was seen. Must not throw. */
  readonly withdrawText?: () => boolean;
}

interface Entry extends CandidateKey {
  readonly client: ModelClient;
}

/**
 * A client over several candidates: asks them in order until one starts to answer. After the first text was shown there is no failover: the failure ends the
 * stream, so no text is shown twice. The content of a candidate that failed midway is withdrawn by the next one's `message-start`. `info` is that of the first
 * candidate. Throws a `TypeError` without candidates.
 */
export function createFailoverClient(candidates: readonly FailoverCandidate[], options: FailoverOptions): ModelClient {
  const entries = candidates.map(({ client, credential }): Entry => ({
    provider: client.info.provider,
    model: client.info.id,
    credential,
    client,
  }));
  const [first] = entries;
  if (first === undefined) throw new TypeError("A failover client needs at least one candidate.");
  const cooldowns = options.cooldowns ?? new Cooldowns();
  return {
    info: first.client.info,
    async *stream(request, { signal }): AsyncGenerator<ModelEvent, void, undefined> {
      const plan = new FailoverPlan(entries, cooldowns);
      const now = (): number => options.clock.monotonic();
      for (let entry = plan.next(now()); entry !== undefined; entry = plan.next(now())) {
        const tell = (): void => {
          options.onAnswer?.(keyOf(entry));
          if (entry !== first) options.onSwitch?.(toSwitch(first, entry, plan.attempts));
        };
        const events = entry.client.stream(request, { signal });
        if (yield* ask(entry, { plan, now, tell, withdrawText: options.withdrawText, events })) return;
      }
      yield { type: "message-failed", error: plan.toError(now()) };
    },
  };
}

interface Ask {
  readonly plan: FailoverPlan<Entry>;
  readonly now: () => number;
  readonly tell: () => void;
  readonly withdrawText: FailoverOptions["withdrawText"];
  readonly events: AsyncIterable<ModelEvent>;
}

/**
 * Passes on one candidate's events, from the first that has content; a start alone is held back until then. True if the stream has had its last event, false if
 * the next candidate is to be asked.
 */
async function* ask(entry: Entry, { plan, now, tell, withdrawText, events }: Ask): AsyncGenerator<ModelEvent, boolean, undefined> {
  let start: ModelEvent | undefined;
  let begun = false;
  let hasText = false;
  for await (const event of events) {
    if (event.type === "message-start") {
      start = event;
      continue;
    }
    if (event.type === "message-failed") {
      const verdict = plan.fail(entry, event.error, now());
      const isLast = verdict === "stop" || (hasText && withdrawText?.() !== true);
      if (isLast) yield event;
      return isLast;
    }
    if (!begun) tell();
    if (start !== undefined) yield start;
    start = undefined;
    begun = true;
    hasText ||= isText(event);
    if (event.type === "message-end") plan.succeed(entry);
    yield event;
    if (event.type === "message-end") return true;
  }
  return false;
}

function toSwitch(from: Entry, to: Entry, attempts: readonly Attempt<Entry>[]): FailoverSwitch {
  return {
    from: keyOf(from),
    to: keyOf(to),
    modelChanged: from.provider !== to.provider || from.model !== to.model,
    reasons: attempts.map((attempt) => ({
      ...keyOf(attempt.candidate),
      type: attempt.type,
      reason: attempt.type === "failed" ? attempt.error.code : attempt.cooldown.reason,
    })),
  };
}

function keyOf({ provider, model, credential }: Entry): CandidateKey {
  return { provider, model, credential };
}
