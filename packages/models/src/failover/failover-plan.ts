import { ModelError, type Retry, withoutUndefined } from "@factotum/agent-contract";
import type { CandidateKey, Cooldown, Cooldowns } from "./cooldowns.ts";

/** The outcome of one candidate. */
export type Attempt<Candidate extends CandidateKey> =
  | { readonly type: "failed"; readonly candidate: Candidate; readonly error: ModelError }
  | { readonly type: "skipped"; readonly candidate: Candidate; readonly cooldown: Cooldown };

/**
 * The state of one request over its candidates, in order: each is tried once or skipped with its reason. If all of them cool down, the one whose transient
 * cooldown ends first is tried anyway, unless its provider requested the delay. Pure: the caller passes the time.
 */
export class FailoverPlan<Candidate extends CandidateKey> {
  readonly #cooldowns: Cooldowns;
  readonly #attempts: Attempt<Candidate>[] = [];
  readonly #waiting: Candidate[];
  readonly #first: Candidate;
  #lastResortUsed = false;

  constructor(candidates: readonly Candidate[], cooldowns: Cooldowns) {
    const [first] = candidates;
    if (first === undefined) throw new TypeError("A failover plan needs at least one candidate.");
    this.#first = first;
    this.#waiting = [...candidates];
    this.#cooldowns = cooldowns;
  }

  /** The outcomes so far, in order. */
  get attempts(): readonly Attempt<Candidate>[] {
    return this.#attempts;
  }

  /** The next candidate to ask, or `undefined` if none is left. */
  next(nowMs: number): Candidate | undefined {
    for (let candidate = this.#waiting.shift(); candidate !== undefined; candidate = this.#waiting.shift()) {
      const cooldown = this.#cooldowns.find(candidate, nowMs);
      if (cooldown === undefined) return candidate;
      this.#attempts.push({ type: "skipped", candidate, cooldown });
    }
    return this.#lastResort();
  }

  /** Records that the candidate failed. `stop`: the failure is the request's fault, so no other candidate is asked. */
  fail(candidate: Candidate, error: ModelError, nowMs: number): "stop" | "go-on" {
    this.#cooldowns.fail(candidate, error, nowMs);
    const isFirst = this.#attempts.every(({ type }) => type === "skipped") || isSameModel(candidate, this.#first);
    this.#attempts.push({ type: "failed", candidate, error });
    return goesOn(error, isFirst) ? "go-on" : "stop";
  }

  /** Records that the candidate answered. */
  succeed(candidate: Candidate): void {
    this.#cooldowns.succeed(candidate);
  }

  /** The overall failure: the first error, with the outcome of every candidate. */
  toError(nowMs: number): ModelError {
    const failures = this.#attempts.filter((attempt) => attempt.type === "failed");
    const skipped = this.#attempts.filter((attempt) => attempt.type === "skipped");
    const only = failures[0]?.error;
    if (only !== undefined && this.#attempts.length === 1) return only;
    const lines = this.#attempts.map((attempt) => describe(attempt, nowMs));
    const code = only?.code ?? skipped[0]?.cooldown.reason ?? "server";
    const message = `No model answered. ${lines.join(" ")}`;
    return new ModelError(code, message, {
      retry: this.#retry(nowMs),
      ...withoutUndefined({ status: only?.status }),
      cause: only ?? new Error(code),
    });
  }

  #retry(nowMs: number): Retry {
    const rests = this.#attempts.map(({ candidate }) => this.#cooldowns.find(candidate, nowMs));
    const transient = rests.filter((rest) => rest?.class === "transient").map((rest) => Math.max(0, (rest?.untilMs ?? nowMs) - nowMs));
    return transient.length === 0 ? { type: "never" } : { type: "after", delayMs: Math.min(...transient) };
  }

  #lastResort(): Candidate | undefined {
    if (this.#lastResortUsed || this.#attempts.some(({ type }) => type === "failed")) return undefined;
    this.#lastResortUsed = true;
    const open = this.#attempts.flatMap((attempt, index) =>
      attempt.type === "skipped" && attempt.cooldown.class === "transient" && !attempt.cooldown.demanded ? [{ ...attempt, index }] : [],
    );
    const soonest = open.toSorted((a, b) => a.cooldown.untilMs - b.cooldown.untilMs)[0];
    if (soonest === undefined) return undefined;
    this.#attempts.splice(soonest.index, 1);
    return soonest.candidate;
  }
}

/** Another credential changes neither the window nor the model. */
function isSameModel(left: CandidateKey, right: CandidateKey): boolean {
  return left.provider === right.provider && left.model === right.model;
}

/**
 * A prompt that is too long for the session's model is compacted by the session instead. A request that one provider calls invalid or refuses by its content
 * policy, or whose answer is endless, is not sent to the next. A fallback with a smaller window is skipped.
 */
function goesOn(error: ModelError, isFirst: boolean): boolean {
  switch (error.code) {
    case "aborted":
    case "budget":
    case "denied":
    case "refused":
    case "filtered":
    case "invalid-request":
    case "output-limit":
      return false;
    case "context-overflow":
      return !isFirst;
    case "unauthorized":
    case "billing":
    case "rate-limited":
    case "overloaded":
    case "not-found":
    case "timeout":
    case "unreachable":
    case "truncated":
    case "server":
      return true;
  }
}

function describe(attempt: Attempt<CandidateKey>, nowMs: number): string {
  const { provider, model, credential } = attempt.candidate;
  const name = `${provider}/${model} (${credential})`;
  if (attempt.type === "failed") return `${name}: ${attempt.error.message}`;
  const seconds = Math.ceil((attempt.cooldown.untilMs - nowMs) / 1_000);
  return `${name}: skipped, rests for ${seconds} s after ${attempt.cooldown.reason}.`;
}
