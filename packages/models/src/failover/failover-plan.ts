import { ModelError, type Retry, withoutUndefined } from "@factotum/agent-contract";
import type { CandidateKey, Cooldown, Cooldowns } from "./cooldowns.ts";

/** What became of one candidate. */
export type Attempt<Candidate extends CandidateKey> =
  | { readonly type: "failed"; readonly candidate: Candidate; readonly error: ModelError }
  | { readonly type: "skipped"; readonly candidate: Candidate; readonly cooldown: Cooldown };

/**
 * One request's way through its candidates, in their order: each is tried once or skipped with its reason. When all of them rest, the one
 * whose transient rest ends first is tried after all, unless its provider named the delay. Pure: the time is given.
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

  /** What became of the candidates so far, in order. */
  get attempts(): readonly Attempt<Candidate>[] {
    return this.#attempts;
  }

  /** The next candidate to ask, or `undefined` when there is none left. */
  next(nowMs: number): Candidate | undefined {
    for (let candidate = this.#waiting.shift(); candidate !== undefined; candidate = this.#waiting.shift()) {
      const cooldown = this.#cooldowns.find(candidate, nowMs);
      if (cooldown === undefined) return candidate;
      this.#attempts.push({ type: "skipped", candidate, cooldown });
    }
    return this.#lastResort();
  }

  /** Notes that the candidate failed. `stop`: the failure is the request's, so no other candidate is asked. */
  fail(candidate: Candidate, error: ModelError, nowMs: number): "stop" | "go-on" {
    this.#cooldowns.fail(candidate, error, nowMs);
    const isFirst = this.#attempts.every(({ type }) => type === "skipped") || isSameModel(candidate, this.#first);
    this.#attempts.push({ type: "failed", candidate, error });
    return goesOn(error, isFirst) ? "go-on" : "stop";
  }

  /** Notes that the candidate answered. */
  succeed(candidate: Candidate): void {
    this.#cooldowns.succeed(candidate);
  }

  /** The failure of the whole: the first error that came, with what became of every candidate. */
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
 * A prompt that is too long for the model of the session is the session's to compact, and what one provider calls an invalid request or
 * refuses on grounds of content is not carried to the next. A fallback with a smaller window is just passed over.
 */
function goesOn(error: ModelError, isFirst: boolean): boolean {
  switch (error.code) {
    case "aborted":
    case "budget":
    case "refused":
    case "filtered":
    case "invalid-request":
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
