import type { ContextBudget } from "@factotum/agent-core";
import type { RunKind, UsageTotals, Clock, Logger } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import type { SessionRecord } from "@factotum/store";
import { LRUCache } from "lru-cache";
import { LaneYield } from "../kernel/lane-abort.ts";
import { SessionLanes } from "../queue/session-lanes.ts";
import type { Compaction, CompactionRequest, Compactor } from "./compact-session.ts";
import type { CompactionOutcome } from "./compaction-outcome.ts";
import { readContextSize, windowBudget } from "./context-size.ts";
import { isOversized } from "./is-oversized.ts";
import { mayFlushMemory } from "./memory-flush.ts";
import type { FlushMemory } from "./memory-flush.ts";
import type { TurnQueue } from "../queue/turn-queue.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { Conversations } from "../conversation/conversations.ts";
import type { ContextReader } from "./context-size.ts";
import { raceAbort } from "../kernel/race-abort.ts";

/** Most concurrent summaries, over all sessions. */
const MAX_SUMMARIES = 4;

/** Maximum queued summaries, since each holds the text of a window; beyond it the next turn checks again. */
const MAX_WAITING = 16;

/** Maximum attempts at notes or a summary between two compactions of a conversation. */
const MAX_TRIES = 3;

/** Maximum sessions whose attempts are remembered. */
const MAX_REMEMBERED = 1000;

const NOTHING: CompactionOutcome = { type: "nothing" };

/** A finished turn after which the session may be compacted. */
export interface FinishedTurnQuery {
  readonly sessionKey: string;
  readonly agentId: string;
  readonly origin: Origin;
  readonly kind: RunKind;
}

/** Facts about the ended turn, and a callback that runs the memory flush. */
export interface FinishedTurnFacts {
  readonly budget: ContextBudget;
  readonly usage: UsageTotals;
  readonly flushMemory: FlushMemory;
}

/** Dependencies of the background compactor. */
export interface BackgroundCompactorOptions extends ContextReader {
  readonly running: RunningConfig;
  readonly conversations: Conversations;
  readonly compactor: Compactor;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly queue: Pick<TurnQueue, "lanes">;
}

/** A summary in progress or queued. */
interface Work {
  readonly compaction: Compaction;
  /** Resolves to true if there is a summary. Never rejects. */
  readonly made: Promise<boolean>;
  readonly begin: (signal: AbortSignal) => Promise<void>;
}

/** Failed attempts since the last compaction. */
interface Tries {
  readonly since: string;
  notes: number;
  summaries: number;
}

/**
 * Compacts sessions in the background, after their turns (R7, R9). The memory flush is a turn of the session that yields to a message at once; the summary is
 * requested while other turns run, and is stored between two of them.
 */
export class BackgroundCompactor {
  readonly #options: BackgroundCompactorOptions;
  readonly #works = new Map<string, Work>();
  readonly #summaries: SessionLanes<Work>;
  readonly #tries = new LRUCache<string, Tries>({ max: MAX_REMEMBERED });

  constructor(options: BackgroundCompactorOptions) {
    this.#options = options;
    this.#summaries = new SessionLanes<Work>({
      capacities: () => ({ main: 0, subagent: 0, cron: MAX_SUMMARIES }),
      laneOf: () => "cron",
      notBeforeMs: () => undefined,
      overtakes: () => false,
      goesFirst: () => false,
      isSolo: () => false,
      process: async (_sessionKey, work, { signal }) => work.begin(signal),
      onQueueChange: () => undefined,
      onForgotten: (sessionKey, work) => this.#drop(sessionKey, work),
      onError: (sessionKey, error) => options.logger.error("A summary could not be made", { sessionKey, error }),
      clock: options.clock,
    });
  }

  /** Schedules notes or a summary after a turn, if its session needs them. Cheap otherwise. */
  schedule(query: FinishedTurnQuery, { budget, usage, flushMemory }: FinishedTurnFacts): void {
    const { sessionKey } = query;
    if (this.#works.has(sessionKey)) return;
    // Provider counts plus the answer; without them the history is estimated.
    const contextTokens = usage.lastInput + usage.lastCacheRead + usage.lastCacheWrite + usage.output;
    if (usage.total > 0 && !budget.shouldFlushMemory(contextTokens)) return;
    const run = async ({ signal }: { readonly signal: AbortSignal }): Promise<void> => {
      try {
        await this.#flushAndBegin(query, { signal, flushMemory });
      } catch (error) {
        if (error !== signal.reason) this.#options.logger.error("Background compaction failed", { sessionKey, error });
      }
    };
    this.#options.queue.lanes.enqueue(sessionKey, { type: "task", isBackground: true, run, forget: () => undefined });
  }

  /**
   * Stores the summary that was started for this conversation, waiting for it if it is in progress; a rule-based one if no model provides it. Call it in the
   * session's lane. Rejects if the signal fires; then the summary is stored later.
   */
  async finish({ key, sessionId }: SessionRecord, signal: AbortSignal): Promise<CompactionOutcome> {
    const work = this.#works.get(key);
    if (work === undefined || work.compaction.sessionId !== sessionId) return NOTHING;
    // A queued summary is not waited for.
    if (this.#summaries.remove(key, work)) {
      this.#drop(key, work);
      return NOTHING;
    }
    await raceAbort(work.made, { signal, clock: this.#options.clock });
    return this.#store(key, work, { isNeeded: true });
  }

  /** Resolves when no summary is in progress. */
  async idle(): Promise<void> {
    await this.#summaries.idle();
  }

  get isIdle(): boolean {
    return this.#summaries.active === 0 && this.#summaries.queuedInAll === 0;
  }

  /** Aborts summaries in progress. */
  async close(reason: string): Promise<void> {
    await this.#summaries.close(reason, { drainMs: 0 });
  }

  async #flushAndBegin(
    { sessionKey, agentId, origin, kind }: FinishedTurnQuery,
    { signal, flushMemory }: { readonly signal: AbortSignal; readonly flushMemory: FlushMemory },
  ): Promise<void> {
    let context = await this.#options.conversations.readContext(sessionKey, agentId, origin);
    if (context.record === undefined || this.#works.has(sessionKey)) return;
    const budget = windowBudget(context);
    let size = await readContextSize(context, this.#options);
    if (!budget.shouldFlushMemory(size.contextTokens)) return;
    const tries = this.#triesOf(sessionKey, `${context.sessionId} ${size.compactedAtMs ?? ""}`);
    const { window } = budget;
    if (
      tries.notes < MAX_TRIES &&
      !isOversized(size, window) &&
      (await mayFlushMemory({ kind, compactedAtMs: size.compactedAtMs }, context, this.#options.running))
    ) {
      await flushMemory(context, { signal });
      if (signal.reason instanceof LaneYield) tries.notes += 1;
      if (signal.aborted) return;
      context = await this.#options.conversations.refresh(context);
      size = await readContextSize(context, this.#options);
    }
    const { record, agent, model } = context;
    if (record === undefined || tries.summaries >= MAX_TRIES || !budget.shouldCompactAhead(size)) return;
    if (this.#summaries.queuedInAll >= MAX_WAITING) return;
    await this.#begin({ record, agent, model, ...size, forced: false }, tries);
  }

  async #begin(request: CompactionRequest, tries: Tries): Promise<void> {
    const { key } = request.record;
    const compaction = await this.#options.compactor.begin(request);
    if (compaction === undefined) return;
    const { promise: made, resolve } = Promise.withResolvers<boolean>();
    const work: Work = {
      compaction,
      made,
      begin: async (signal) => {
        let isMade = false;
        try {
          isMade = await compaction.summarise(signal);
          if (!isMade) tries.summaries += 1;
        } catch (error) {
          if (error !== signal.reason) throw error;
        } finally {
          resolve(isMade);
          this.#options.queue.lanes.enqueue(key, {
            type: "task",
            isBackground: true,
            run: async () => this.#storeUnwaited(key, work),
            forget: () => this.#drop(key, work),
          });
        }
      },
    };
    this.#works.set(key, work);
    this.#summaries.enqueue(key, work);
  }

  async #storeUnwaited(sessionKey: string, work: Work): Promise<void> {
    try {
      await this.#store(sessionKey, work, { isNeeded: false });
    } catch (error) {
      this.#options.logger.error("A summary could not be stored", { sessionKey, error });
    }
  }

  /** Stores a summary once, for the first caller. */
  async #store(sessionKey: string, work: Work, { isNeeded }: { readonly isNeeded: boolean }): Promise<CompactionOutcome> {
    if (this.#works.get(sessionKey) !== work) return NOTHING;
    this.#works.delete(sessionKey);
    using compaction = work.compaction;
    // The rule-based truncation runs only if there is no space left.
    if ((await work.made) || isNeeded) return await compaction.finish();
    await compaction.abandon("failed");
    return NOTHING;
  }

  #drop(sessionKey: string, work: Work): void {
    if (this.#works.get(sessionKey) === work) this.#works.delete(sessionKey);
    work.compaction[Symbol.dispose]();
  }

  #triesOf(sessionKey: string, since: string): Tries {
    const known = this.#tries.get(sessionKey);
    if (known?.since === since) return known;
    const tries = { since, notes: 0, summaries: 0 };
    this.#tries.set(sessionKey, tries);
    return tries;
  }
}
