import { joinOutcomes } from "./compaction-outcome.ts";
import type { CompactionOutcome } from "./compaction-outcome.ts";
import type { CompactionRequest, Compactor } from "./compact-session.ts";
import { readContextSize, windowBudget } from "./context-size.ts";
import type { ContextReader } from "./context-size.ts";
import { isOversized } from "./is-oversized.ts";
import type { ContextSize } from "./is-oversized.ts";
import { mayFlushMemory } from "./memory-flush.ts";
import type { FlushMemory } from "./memory-flush.ts";
import type { BackgroundCompactor, FinishedTurnFacts, FinishedTurnQuery } from "./background-compactor.ts";
import type { SessionContext } from "../conversation/session-context.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { Conversations } from "../conversation/conversations.ts";

const NOTHING: CompactionOutcome = { type: "nothing" };

/** A session whose next request fits. */
export interface FittingSession {
  readonly context: SessionContext;
  /** The compaction of this turn, if there was one. */
  readonly outcome: CompactionOutcome;
}

/** The dependencies of the triggers. */
export interface CompactionTriggersOptions extends ContextReader {
  readonly running: RunningConfig;
  readonly conversations: Conversations;
  readonly compactor: Compactor;
  readonly backgroundCompactor: BackgroundCompactor;
}

/**
 * The triggers of a compaction, one method each: a turn whose request would be too long, a finished turn that leaves little space, a provider that
 * rejects a request as too long, and a person's request.
 */
export class CompactionTriggers {
  readonly #options: CompactionTriggersOptions;

  constructor(options: CompactionTriggersOptions) {
    this.#options = options;
  }

  /**
   * A turn begins: compacts its session if the request, including `incomingTokens` of long new messages, would leave too little space for an answer: with the
   * summary that was started in the background, if there is one. A history that exceeds the window even then is truncated by rule, so that no turn pays for two
   * compactions. No memory flush runs here, since a person waits (R7).
   */
  async beforeTurn(
    before: SessionContext,
    { signal, incomingTokens }: { readonly signal: AbortSignal; readonly incomingTokens: number },
  ): Promise<FittingSession> {
    const isFull = (size: ContextSize, context: SessionContext): boolean =>
      windowBudget(context).shouldCompact({ ...size, contextTokens: size.contextTokens + incomingTokens });
    const unchanged: FittingSession = { context: before, outcome: NOTHING };
    if (before.record === undefined) return unchanged;
    let size = await readContextSize(before, this.#options);
    if (!isFull(size, before)) return unchanged;
    const stored = await this.#options.backgroundCompactor.finish(before.record, signal);
    const context = await this.#options.conversations.refresh(before);
    if (stored.type !== "nothing") size = await readContextSize(context, this.#options);
    const { record, agent, model } = context;
    if (record === undefined || !isFull(size, context)) return { context, outcome: stored };
    const outcome = await this.#options.compactor.compact(
      {
        record,
        agent,
        model,
        ...size,
        forced: false,
        byRule: stored.type !== "nothing" && isOversized(size, windowBudget(context).window),
      },
      { signal },
    );
    return { context: await this.#options.conversations.refresh(context), outcome: joinOutcomes(stored, outcome) };
  }

  /**
   * A turn has ended: schedules notes or a summary in the background, if its context is near the limit. `BackgroundCompactor` compares it twice: the turn's
   * reported tokens before it schedules, and the stored context when the session is free.
   */
  afterTurn(turn: FinishedTurnQuery, facts: FinishedTurnFacts): void {
    this.#options.backgroundCompactor.schedule(turn, facts);
  }

  /**
   * A provider rejected a request as too long despite the estimate. No memory flush runs first, since its request would be too long, too. `byRule`: without a
   * model, because this turn has already paid for a summary.
   */
  async onOverflow(
    context: SessionContext,
    { signal, byRule }: { readonly signal: AbortSignal; readonly byRule: boolean },
  ): Promise<CompactionOutcome> {
    const request = await this.#forcedRequest(context);
    return request === undefined ? NOTHING : this.#options.compactor.compact({ ...request, byRule }, { signal });
  }

  /** A person requested it. Notes are written first, unless there is nothing to summarise or the history fits into no request. */
  async onRequest(
    context: SessionContext,
    {
      signal,
      flushMemory,
      ...instructions
    }: { readonly signal: AbortSignal; readonly flushMemory: FlushMemory; readonly instructions?: string },
  ): Promise<CompactionOutcome> {
    let request = await this.#forcedRequest(context);
    if (
      request !== undefined &&
      !isOversized(request, context.model.client.info.contextWindow) &&
      (await mayFlushMemory({ kind: undefined, compactedAtMs: request.compactedAtMs }, context, this.#options.running))
    ) {
      if (!(await this.#options.compactor.canCompact(request))) return NOTHING;
      await flushMemory(context, { signal });
      signal.throwIfAborted();
      request = await this.#forcedRequest(await this.#options.conversations.refresh(context));
    }
    return request === undefined
      ? NOTHING
      : this.#options.compactor.compact({ ...request, ...instructions, isRequested: true }, { signal });
  }

  /** `undefined` for a session without a transcript. */
  async #forcedRequest(context: SessionContext): Promise<(CompactionRequest & ContextSize) | undefined> {
    const { record, agent, model } = context;
    return record === undefined ? undefined : { record, agent, model, ...(await readContextSize(context, this.#options)), forced: true };
  }
}
