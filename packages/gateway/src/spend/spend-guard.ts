import { EventEmitter } from "node:events";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock, Logger, RunKind, Usage } from "@factotum/agent-contract";
import type { SpendCap, SpendConfig } from "@factotum/config";
import type { SpendRecord, Store, TreeBudget } from "@factotum/store";
import { CredentialGate, type CredentialName } from "./credential-gate.ts";
import { RUN_POLICY, runKinds, type RunPolicy } from "../run-policy/run-policy.ts";
import { hasLimit, TreeBudgets } from "./tree-budgets.ts";
import type { TreeUsage } from "./tree-budgets.ts";

/** After this many consecutive failures an unattended cause pauses until a call of the agent succeeds. */
const MAX_FAILURES = 3;

/** No local day is longer: clocks are set back by an hour at most. */
const MAX_DAY_S = 25 * 60 * 60;

/** What a call is charged to. */
export interface SpendCause {
  readonly agentId: string;
  readonly kind: RunKind;
  /** Of a sub-agent: the tree whose budget it uses, too. */
  readonly tree?: TreeBudget;
}

/** An admitted call. `settle` replaces the reservation by the real usage. */
export interface Reservation {
  readonly type: "reserved";
  readonly settle: (usage: Usage) => void;
}

/** A refused call. The message says why and until when. */
export interface SpendRefusal {
  readonly type: "refused";
  readonly message: string;
  /** When the cap is reset. Absent if it is unknown when the cause may continue. */
  readonly retryAfterMs?: number;
}

/** The dependencies of the guard. */
export interface SpendGuardOptions {
  /** The caps of the running configuration. */
  readonly caps: () => SpendConfig;
  readonly store: Pick<Store, "addSpend" | "readSpend" | "readTreeSpend">;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The local day of the agent's user, `YYYY-MM-DD`. */
  readonly dayOf: (agentId: string, nowMs: number) => string;
  /** The time zone of that day. */
  readonly timeZoneOf: (agentId: string) => string;
}

/** What limits a call of a tree. Without it no other call of the tree runs at the same time. */
interface CallBounds {
  /** What the call may use at most. */
  readonly most: () => TreeUsage;
  /** Ends the wait for other calls of the tree. */
  readonly signal: AbortSignal;
}

const UNBOUNDED: CallBounds = {
  most: () => ({ tokens: Number.POSITIVE_INFINITY, costUsd: Number.POSITIVE_INFINITY }),
  signal: new AbortController().signal,
};

/** Why a cause is refused, for the owner. */
export interface SpendPause extends SpendCause {
  readonly message: string;
  /** The same only for the same cap on the same day, also in another process. */
  readonly key: string;
}

/** Events of the spend guard. */
interface SpendEvents {
  /** A cause has reached its cap, or is paused after failures: once until it works again. */
  readonly "cause-paused": [pause: SpendPause];
}

/** A refusal, and what it is reported once for. */
interface Refused {
  readonly message: string;
  readonly told: string;
}

/** A cap, and what was used of it today. */
export interface CapState {
  /** Its key in the configuration. */
  readonly name: string;
  readonly cap: SpendCap;
  readonly tokens: number;
  readonly costUsd: number;
}

/** A cap with the runs that it limits, for people. */
interface KnownCap {
  readonly name: string;
  readonly cap: SpendCap;
  readonly used: Used;
  readonly runs: string;
}

interface Used {
  calls: number;
  tokens: number;
  costUsd: number;
}

interface AgentDay {
  readonly day: string;
  readonly byCause: Map<RunKind, Used>;
}

/**
 * Charges every model call to its cause before it is sent: the estimate is reserved first and replaced by the real usage afterwards, so that concurrent calls
 * cannot exceed a cap together. Usage is stored and counts after a restart too (R15).
 */
export class SpendGuard {
  readonly events: EventEmitter<SpendEvents> = new EventEmitter();
  /** Asked before `reserve`: unattended calls with a refused credential are bounded over all agents. */
  readonly credentials: CredentialGate = new CredentialGate();
  readonly #options: SpendGuardOptions;
  readonly #days = new Map<string, { readonly day: string; readonly read: Promise<AgentDay> }>();
  readonly #failures = new Map<string, number>();
  readonly #told = new Set<string>();
  readonly #trees: TreeBudgets;

  constructor(options: SpendGuardOptions) {
    this.#options = options;
    this.#trees = new TreeBudgets(async (id) => options.store.readTreeSpend(id));
  }

  /** Reserves `tokens` for a call, or refuses it. Near the budget of its tree it waits for other calls; rejects with the reason of the signal that ends the wait. */
  async reserve(cause: SpendCause, tokens: number, { most, signal }: CallBounds = UNBOUNDED): Promise<Reservation | SpendRefusal> {
    const { clock, dayOf } = this.#options;
    const limited = cause.tree !== undefined && hasLimit(cause.tree) ? cause.tree : undefined;
    const tree = limited === undefined ? undefined : await this.#trees.reserve(limited, most(), { signal });
    if (typeof tree === "string") return { type: "refused", message: tree };
    const day = await this.#day(cause.agentId, dayOf(cause.agentId, clock.now()));
    const pause = this.#pauseOf(cause);
    const cap = pause === undefined ? this.#capOf(cause, day) : undefined;
    if (pause !== undefined || cap !== undefined) tree?.settle({ total: 0 });
    if (pause !== undefined) return this.#refuse(cause, pause, { key: this.#keyNow(pause.told) });
    if (cap !== undefined) return this.#refuse(cause, cap, { key: cap.told, retryAfterMs: this.#untilNextDayMs(cause.agentId) });
    const used = usedFor(day, cause.kind);
    used.calls += 1;
    used.tokens += tokens;
    return {
      type: "reserved",
      settle: (usage) => {
        tree?.settle(usage);
        this.#settle(cause, day, tokens, usage);
      },
    };
  }

  #settle(cause: SpendCause, day: AgentDay, reserved: number, usage: Usage): void {
    const used = usedFor(day, cause.kind);
    used.tokens += usage.total - reserved;
    used.costUsd += usage.costUsd ?? 0;
    const charge: SpendRecord = {
      day: day.day,
      agentId: cause.agentId,
      cause: cause.kind,
      calls: 1,
      tokens: usage.total,
      ...withoutUndefined({ costUsd: usage.costUsd, treeId: cause.tree !== undefined && hasLimit(cause.tree) ? cause.tree.id : undefined }),
    };
    // Deferrable: it shares the turn's next flush, and a crash loses at most the calls of the last second.
    this.#options.store
      .addSpend(charge, { mayWait: true })
      .catch((error: unknown) => this.#options.logger.error("A call could not be charged", { cause, error }));
  }

  /** How a call ended, its retries included. A success of any cause proves that the agent's model works: paused causes may try again. */
  recordOutcome(cause: SpendCause, outcome: "answered" | "failed"): void {
    if (outcome === "failed") {
      const key = `${cause.agentId}/${cause.kind}`;
      this.#failures.set(key, (this.#failures.get(key) ?? 0) + 1);
      return;
    }
    for (const kind of runKinds(isUnattended)) {
      const key = `${cause.agentId}/${kind}`;
      this.#failures.delete(key);
      this.#told.delete(`${key}/failures`);
    }
  }

  /** Why an unattended run pauses whose only credential is refused; reported once until a call with it is answered. */
  pauseRefused(cause: SpendCause, name: CredentialName): string {
    const message = `Unattended runs pause: ${name.provider} has refused its key (${name.credential}) again and again. They resume once a message to the assistant is answered with it.`;
    const key = this.#keyNow(`${name.provider}/${name.credential}`);
    if (this.credentials.tellOnce(name)) this.events.emit("cause-paused", { ...cause, message, key });
    return message;
  }

  /** What happens again in another process, or after it worked, is reported again. */
  #keyNow(told: string): string {
    return `${told}/${this.#options.clock.now()}`;
  }

  #refuse(
    { agentId, kind }: SpendCause,
    { message, told }: Refused,
    { key, retryAfterMs }: { readonly key: string; readonly retryAfterMs?: number },
  ): SpendRefusal {
    if (!this.#told.has(told)) this.events.emit("cause-paused", { agentId, kind, message, key });
    this.#told.add(told);
    return { type: "refused", message, ...withoutUndefined({ retryAfterMs }) };
  }

  #pauseOf(cause: SpendCause): Refused | undefined {
    const failures = this.#failures.get(`${cause.agentId}/${cause.kind}`) ?? 0;
    if (RUN_POLICY[cause.kind].isAttended || failures < MAX_FAILURES) return undefined;
    return {
      message: `${cause.kind} runs of the agent ${cause.agentId} pause: their last ${failures} model calls failed. They resume once a message to the agent is answered.`,
      told: `${cause.agentId}/${cause.kind}/failures`,
    };
  }

  /** The caps that hold for an agent's runs of today, with what was used of each, and when they are reset. */
  async caps(agentId: string): Promise<{ readonly caps: readonly CapState[]; readonly resetsAtMs: number }> {
    const { clock, dayOf } = this.#options;
    const day = await this.#day(agentId, dayOf(agentId, clock.now()));
    const found = new Map<string, CapState>();
    for (const kind of runKinds(() => true)) {
      for (const { name, cap, used } of this.#capsOf({ agentId, kind }, day)) {
        if (cap.tokensPerDay === undefined && cap.usdPerDay === undefined) continue;
        found.set(name, { name, cap, tokens: used.tokens, costUsd: used.costUsd });
      }
    }
    return { caps: [...found.values()], resetsAtMs: clock.now() + this.#untilNextDayMs(agentId) };
  }

  #capsOf({ agentId, kind }: SpendCause, day: AgentDay): readonly KnownCap[] {
    const { unattended, perCause, perAgent } = this.#options.caps();
    const isCapped = !RUN_POLICY[kind].isAttended;
    const used = sum(day, (other) => isUnattended(RUN_POLICY[other]));
    const runs = `Unattended runs of the agent ${agentId}`;
    return [
      ...(isCapped ? [{ name: "spend.unattended", cap: unattended, used, runs }] : []),
      {
        name: `spend.perCause.${kind}`,
        cap: perCause[kind] ?? {},
        used: sum(day, (other) => other === kind),
        runs: `${kind} runs of the agent ${agentId}`,
      },
      ...(isCapped ? [{ name: `spend.perAgent.${agentId}`, cap: perAgent[agentId] ?? {}, used, runs }] : []),
    ];
  }

  #capOf(cause: SpendCause, day: AgentDay): Refused | undefined {
    const { timeZoneOf } = this.#options;
    const full = this.#capsOf(cause, day).find(
      ({ cap, used }) => isUsedUp(used.tokens, cap.tokensPerDay) || isUsedUp(used.costUsd, cap.usdPerDay),
    );
    if (full === undefined) return undefined;
    return {
      message: `${full.name} is used up for today: ${usedWords(full.used, full.cap)}. ${full.runs} resume at midnight (${timeZoneOf(cause.agentId)}).`,
      told: `${cause.agentId}/${full.name}/${day.day}`,
    };
  }

  /** To the second, and never too short: found by comparing dates, since days have 23 to 25 hours. */
  #untilNextDayMs(agentId: string): number {
    const { clock, dayOf } = this.#options;
    const nowMs = clock.now();
    const today = dayOf(agentId, nowMs);
    let [lastS, nextS] = [0, MAX_DAY_S];
    while (nextS - lastS > 1) {
      const middleS = Math.floor((lastS + nextS) / 2);
      if (dayOf(agentId, nowMs + middleS * 1000) === today) lastS = middleS;
      else nextS = middleS;
    }
    return nextS * 1000;
  }

  /** The agent's day, with its usage before this process. Yesterday is dropped. */
  async #day(agentId: string, day: string): Promise<AgentDay> {
    const known = this.#days.get(agentId);
    if (known?.day === day) return known.read;
    const read = this.#read(agentId, day);
    this.#days.set(agentId, { day, read });
    // A failed read is retried with the next call.
    read.catch(() => this.#days.delete(agentId));
    return read;
  }

  async #read(agentId: string, day: string): Promise<AgentDay> {
    const rows = await this.#options.store.readSpend(day, agentId);
    return { day, byCause: new Map(rows.map((row) => [row.cause, { calls: row.calls, tokens: row.tokens, costUsd: row.costUsd ?? 0 }])) };
  }
}

/** Describes the used part of a cap. */
function usedWords(used: Used, cap: { readonly tokensPerDay?: number | undefined; readonly usdPerDay?: number | undefined }): string {
  const tokens = `${count(used.tokens)}${cap.tokensPerDay === undefined ? "" : ` of ${count(cap.tokensPerDay)}`} tokens`;
  const dollars = `$${used.costUsd.toFixed(2)}${cap.usdPerDay === undefined ? "" : ` of $${cap.usdPerDay.toFixed(2)}`}`;
  return `${tokens}, ${dollars}`;
}

function count(value: number): string {
  return value.toLocaleString("en-US");
}

/** Without a cap nothing is used up, not even by a provider that counts without bound. */
function isUsedUp(used: number, cap: number | undefined): boolean {
  return cap !== undefined && used >= cap;
}

function isUnattended({ isAttended }: RunPolicy): boolean {
  return !isAttended;
}

function usedFor(day: AgentDay, kind: RunKind): Used {
  const used = day.byCause.get(kind) ?? { calls: 0, tokens: 0, costUsd: 0 };
  day.byCause.set(kind, used);
  return used;
}

function sum(day: AgentDay, counts: (kind: RunKind) => boolean): Used {
  const total: Used = { calls: 0, tokens: 0, costUsd: 0 };
  for (const [kind, used] of day.byCause) {
    if (!counts(kind)) continue;
    total.calls += used.calls;
    total.tokens += used.tokens;
    total.costUsd += used.costUsd;
  }
  return total;
}
