import { joinOutcomes } from "../summaries/compaction-outcome.ts";
import type { CompactionOutcome } from "../summaries/compaction-outcome.ts";
import type { CompactionRequest, Compactor } from "../summaries/compact-session.ts";
import { readContextSize, windowBudget } from "./context-size.ts";
import type { ContextReader } from "./context-size.ts";
import { isOversized } from "../summaries/is-oversized.ts";
import type { ContextSize } from "../summaries/is-oversized.ts";
import { mayFlushMemory } from "./memory-flush.ts";
import type { FlushMemory } from "./memory-flush.ts";
import type { BackgroundCompactor } from "./background-compactor.ts";
import type { SessionContext } from "../conversation/session-context.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import type { Conversations } from "../conversation/conversations.ts";

/** A session whose next request fits. */
export interface FittingSession {
  readonly context: SessionContext;
  /** The compaction of this turn, if there was one. */
  readonly outcome: CompactionOutcome;
}

/** The dependencies of the context size. */
export interface SessionCompactorOptions extends ContextReader {
  readonly running: RunningConfig;
  readonly conversations: Conversations;
  readonly compactor: Compactor;
}

/** Keeps a session's context within the model's window. */
export class SessionCompactor {
  readonly #options: SessionCompactorOptions;

  constructor(options: SessionCompactorOptions) {
    this.#options = options;
  }

  /**
   * Compacts the session before a turn whose request, including `incomingTokens` of long new messages, would leave too little space for an answer: with the
   * summary that was started in the background, if there is one. A history that exceeds the window even then is truncated by rule, so that no turn pays for two
   * compactions. No memory flush runs here, since a person waits (R7).
   */
  async ensure(
    before: SessionContext,
    {
      backgroundCompactor,
      signal,
      incomingTokens,
    }: { readonly backgroundCompactor: BackgroundCompactor; readonly signal: AbortSignal; readonly incomingTokens: number },
  ): Promise<FittingSession> {
    const isFull = (size: ContextSize, context: SessionContext): boolean =>
      windowBudget(context).shouldCompact({ ...size, contextTokens: size.contextTokens + incomingTokens });
    const unchanged: FittingSession = { context: before, outcome: { type: "nothing" } };
    if (before.record === undefined) return unchanged;
    let size = await readContextSize(before, this.#options);
    if (!isFull(size, before)) return unchanged;
    const placed = await backgroundCompactor.finish(before.record, signal);
    const context = await this.#options.conversations.refresh(before);
    if (placed.type !== "nothing") size = await readContextSize(context, this.#options);
    const { record, agent, model } = context;
    if (record === undefined || !isFull(size, context)) return { context, outcome: placed };
    const outcome = await this.#options.compactor.compact(
      {
        record,
        agent,
        model,
        ...size,
        forced: false,
        byRule: placed.type !== "nothing" && isOversized(size, windowBudget(context).window),
      },
      { signal },
    );
    return { context: await this.#options.conversations.refresh(context), outcome: joinOutcomes(placed, outcome) };
  }

  /**
   * Compacts the session now, because a person requested it or a provider rejected the request as too long; in the latter case no memory flush can run first,
   * since its request would be too long, too. None runs if there is nothing to summarise, or if the history fits into no request.
   */
  async compactNow(
    context: SessionContext,
    {
      flushMemory,
      ...options
    }: {
      readonly signal: AbortSignal;
      readonly instructions?: string;
      readonly flushMemory?: FlushMemory;
      /** Rule-based, without a model: this turn has already paid for a summary. */
      readonly byRule?: boolean;
    },
  ): Promise<CompactionOutcome> {
    const { signal, ...heeding } = options;
    let request = await this.#forcedRequest(context);
    if (
      request !== undefined &&
      flushMemory !== undefined &&
      !isOversized(request, context.model.client.info.contextWindow) &&
      (await mayFlushMemory({ kind: undefined, compactedAtMs: request.compactedAtMs }, context, this.#options.running))
    ) {
      if (!(await this.#options.compactor.canCompact(request))) return { type: "nothing" };
      await flushMemory(context, { signal });
      signal.throwIfAborted();
      request = await this.#forcedRequest(await this.#options.conversations.refresh(context));
    }
    return request === undefined ? { type: "nothing" } : this.#options.compactor.compact({ ...request, ...heeding }, { signal });
  }

  /** `undefined` for a session without a transcript. */
  async #forcedRequest(context: SessionContext): Promise<(CompactionRequest & ContextSize) | undefined> {
    const { record, agent, model } = context;
    return record === undefined ? undefined : { record, agent, model, ...(await readContextSize(context, this.#options)), forced: true };
  }
}
