import type { ModelError, ModelErrorCode } from "@factotum/agent-contract";

/** One way to get an answer: a model of a provider, asked with one credential. */
export interface CandidateKey {
  readonly provider: string;
  readonly model: string;
  /** A name of the credential, never its value. */
  readonly credential: string;
}

/** Why a candidate is skipped. */
export interface Cooldown {
  readonly reason: ModelErrorCode;
  /** `permanent` needs a person (a key, money, a name); `transient` ends by itself. */
  readonly class: "permanent" | "transient";
  /** Monotonic clock, milliseconds. */
  readonly untilMs: number;
  /** True if the provider requested the delay: then not even the last resort is earlier. */
  readonly demanded: boolean;
}

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;

/** A cooldown that ended longer ago than this is forgotten. */
const MEMORY_MS = 24 * HOUR;

const TRANSIENT = { class: "transient", stepsMs: [30 * SECOND, MINUTE, 5 * MINUTE] } as const;
const PERMANENT = { class: "permanent", stepsMs: [10 * MINUTE, 20 * MINUTE, 40 * MINUTE, HOUR] } as const;
const BILLING = { class: "permanent", stepsMs: [5 * HOUR, 10 * HOUR, 20 * HOUR, 24 * HOUR] } as const;

/** Cooldown after the first, second, … failure of a kind; the last figure is the cap. Failures of other kinds are the request's fault. */
const RULES: Readonly<Partial<Record<ModelErrorCode, { readonly class: Cooldown["class"]; readonly stepsMs: readonly number[] }>>> = {
  "rate-limited": TRANSIENT,
  overloaded: TRANSIENT,
  timeout: TRANSIENT,
  unreachable: TRANSIENT,
  truncated: TRANSIENT,
  server: TRANSIENT,
  unauthorized: PERMANENT,
  "not-found": PERMANENT,
  billing: BILLING,
};

/** A cooldown and its scope. */
export interface RestingCandidate extends Cooldown {
  readonly provider: string;
  readonly credential: string;
  /** Absent if it applies to all models of the credential. */
  readonly model?: string;
}

interface Entry extends RestingCandidate {
  readonly failures: number;
}

/**
 * Active cooldowns: one entry per (credential, model, reason). Billing and a refused key (401) apply to the credential and so to all its models. A pure state
 * machine: the caller passes the time, and there is no I/O.
 */
export class Cooldowns {
  readonly #entries = new Map<string, Entry>();

  /** The cooldown that ends last, or `undefined` if the candidate may be asked. */
  find(key: CandidateKey, nowMs: number): Cooldown | undefined {
    const active = REASONS.flatMap((reason) => [
      this.#entries.get(nameOf(key, reason, true)),
      this.#entries.get(nameOf(key, reason, false)),
    ]).filter((entry) => entry !== undefined && entry.untilMs > nowMs);
    return active.reduce<Cooldown | undefined>(
      (longest, entry) => (entry !== undefined && entry.untilMs > (longest?.untilMs ?? 0) ? entry : longest),
      undefined,
    );
  }

  /** All active cooldowns, longest first. */
  list(nowMs: number): readonly RestingCandidate[] {
    const active = [...this.#entries.values()].filter(({ untilMs }) => untilMs > nowMs);
    return active.map(({ failures: _failures, ...resting }) => resting).toSorted((a, b) => b.untilMs - a.untilMs);
  }

  /** Records a failure and returns its cooldown; `undefined` if the failure is not the candidate's fault. */
  fail(key: CandidateKey, error: Pick<ModelError, "code" | "retry" | "status">, nowMs: number): Cooldown | undefined {
    const rule = RULES[error.code];
    if (rule === undefined) return undefined;
    this.#forget(nowMs);
    const ofCredential = isOfCredential(error);
    const name = nameOf(key, error.code, ofCredential);
    const failures = (this.#entries.get(name)?.failures ?? 0) + 1;
    const stepMs = rule.stepsMs[Math.min(failures, rule.stepsMs.length) - 1] ?? 0;
    const demanded = error.retry.type === "after";
    const restMs = error.retry.type === "after" ? error.retry.delayMs : stepMs;
    const { provider, credential, model } = key;
    const entry: Entry = {
      provider,
      credential,
      ...(ofCredential ? {} : { model }),
      reason: error.code,
      class: rule.class,
      untilMs: nowMs + restMs,
      demanded,
      failures,
    };
    this.#entries.set(name, entry);
    return entry;
  }

  /** Records an answer: the candidate's failures are reset. */
  succeed(key: CandidateKey): void {
    for (const reason of REASONS) {
      this.#entries.delete(nameOf(key, reason, true));
      this.#entries.delete(nameOf(key, reason, false));
    }
  }

  /** Clears everything: keys and models have changed, and a fixed candidate must not wait. */
  clear(): void {
    this.#entries.clear();
  }

  #forget(nowMs: number): void {
    for (const [name, { untilMs }] of this.#entries) if (untilMs + MEMORY_MS <= nowMs) this.#entries.delete(name);
  }
}

const REASONS = Object.keys(RULES) as readonly ModelErrorCode[];

function isOfCredential({ code, status }: Pick<ModelError, "code" | "status">): boolean {
  return code === "billing" || (code === "unauthorized" && status !== 403);
}

function nameOf({ provider, model, credential }: CandidateKey, reason: ModelErrorCode, ofCredential: boolean): string {
  return JSON.stringify([provider, credential, ofCredential ? null : model, reason]);
}
