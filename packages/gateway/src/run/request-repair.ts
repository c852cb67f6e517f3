import type { Clock, Logger, RunOutcome, UsageTotals } from "@factotum/agent-contract";
import { NO_USAGE_TOTALS } from "@factotum/agent-contract";
import { StoreError } from "@factotum/store";
import type { TranscriptStore, TurnStore } from "@factotum/store";
import type { CompactionTriggers } from "../compaction/compaction-triggers.ts";
import type { SessionCache } from "../context/session-cache.ts";
import type { Conversations } from "../conversation/conversations.ts";
import type { LanePlace } from "../queue/lane-place.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import type { PreparedTurn } from "../preparation/prepared-turn.ts";
import { quarantineRejectedItem } from "./quarantine-rejected-item.ts";
import type { QuarantinedItem } from "./quarantine-rejected-item.ts";
import type { TurnPreparer } from "../preparation/turn-preparer.ts";
import type { TurnRecorder } from "./turn-recorder.ts";

/** Earlier attempts of a turn, before a retry. */
export interface RetryState {
  readonly usage: UsageTotals;
  readonly isCompacted: boolean;
  readonly leftOut: QuarantinedItem | undefined;
  /** Model requests of the turn so far. */
  readonly requests: number;
}

/** What follows the end of a run: a retry of the same turn, or its conclusion. */
export type Repaired =
  | { readonly type: "again"; readonly prepared: PreparedTurn; readonly tried: RetryState }
  | { readonly type: "over"; readonly outcome: RunOutcome };

/** Deadline of a repair, and the place it holds while it calls a model. */
export interface RepairBounds {
  readonly signal: AbortSignal;
  readonly place: LanePlace;
}

/** The state of a turn that was not retried yet. */
export const FIRST_TRY: RetryState = { usage: NO_USAGE_TOTALS, isCompacted: false, leftOut: undefined, requests: 0 };

/** Dependencies of request repair. */
export interface RequestRepairOptions {
  readonly store: TranscriptStore & TurnStore;
  readonly conversations: Conversations;
  readonly compaction: CompactionTriggers;
  readonly preparer: TurnPreparer;
  readonly cache: SessionCache;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** Repairs requests that the provider rejected, in each way at most once per turn. */
export class RequestRepair {
  readonly #options: RequestRepairOptions;

  constructor(options: RequestRepairOptions) {
    this.#options = options;
  }

  /** Retries a turn whose request the provider rejected, if it can be repaired. A stop during the repair stops the turn. */
  async repair(
    prepared: PreparedTurn,
    recorder: TurnRecorder,
    outcome: RunOutcome,
    before: RetryState,
    { signal, place }: RepairBounds,
  ): Promise<Repaired> {
    try {
      const tried = outcome.type === "failed" ? await this.#recover(prepared, recorder, outcome, before, { signal, place }) : undefined;
      if (tried === undefined) return { type: "over", outcome };
      const again = await this.#options.preparer.prepareResumed(prepared.turn, { signal });
      return { type: "again", tried, prepared: { ...again, compacted: prepared.compacted } };
    } catch (error) {
      if (!signal.aborted || StoreError.isInstance(error)) throw error;
      return { type: "over", outcome: { type: "aborted", reason: signal.reason instanceof Error ? signal.reason.message : "aborted" } };
    }
  }

  /** Repairs a rejected request: quarantines the rejected item, or compacts, each at most once. `undefined` if neither helps. */
  async #recover(
    prepared: PreparedTurn,
    recorder: TurnRecorder,
    outcome: Extract<RunOutcome, { type: "failed" }>,
    tried: RetryState,
    { signal, place }: RepairBounds,
  ): Promise<RetryState | undefined> {
    if (outcome.code === "context-overflow" && !tried.isCompacted && RUN_POLICY[prepared.turn.kind].compacts) {
      await place.enter(signal);
      return (await this.#compact(prepared, recorder, signal)) ? { ...tried, isCompacted: true } : undefined;
    }
    if (outcome.code !== "invalid-request" || tried.leftOut !== undefined) return undefined;
    await recorder.flush();
    const refusal = { words: outcome.message, requests: recorder.takeRequests() };
    const leftOut = await quarantineRejectedItem(prepared, refusal, this.#options);
    return leftOut === undefined ? undefined : { ...tried, leftOut };
  }

  /** Compacts the conversation after the provider found the request too long despite the estimate. */
  async #compact(prepared: PreparedTurn, recorder: TurnRecorder, signal: AbortSignal): Promise<boolean> {
    const { turn, compacted } = prepared;
    await recorder.flush();
    const context = await this.#options.conversations.readContext(turn.sessionKey, turn.agentId, turn.origin);
    // A turn pays for one compaction of a history that exceeds the window.
    const byRule = compacted.type === "compacted" && compacted.isOversized;
    return (await this.#options.compaction.onOverflow(context, { signal, byRule })).type === "compacted";
  }
}
