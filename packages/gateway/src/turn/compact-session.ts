import { createHash } from "node:crypto";
import type { AgentMessage, Clock, Logger, ModelClient } from "@factotum/agent-contract";
import { fallbackCompaction, groupSummaries, limitSummary, planCompaction, renderSummaryRequest } from "@factotum/agent-core";
import type { SummaryPart } from "@factotum/agent-core";
import type { Cooldowns } from "@factotum/models";
import type { SessionRecord, Store, TranscriptEntry } from "@factotum/store";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import { modelChain } from "../agents/model-chain.ts";
import type { ModelSource, ResolvedModel } from "../agents/model-source.ts";
import type { SessionEvents } from "../events/session-events.ts";
import { chargedModel } from "../spend/charged-model.ts";
import type { SpendGuard } from "../spend/spend-guard.ts";
import { publishEntry } from "./publish-entry.ts";
import { contextMessages } from "./read-history.ts";
import { RunDeadline } from "./run-deadline.ts";
import type { SessionCache } from "./session-cache.ts";

/** How long the summarising may take in all. What is ready then is kept for the next attempt, and the history is cut locally (R9). */
const TIME_BUDGET_MS = 120_000;
/** Summaries of chunks that are kept for another attempt, over all sessions. */
const MAX_KEPT_SUMMARIES = 500;

/** What compacting is done with. */
export interface CompactorOptions {
  readonly store: Store;
  readonly models: ModelSource;
  readonly spend: SpendGuard;
  readonly cooldowns: Cooldowns;
  readonly clock: Clock;
  readonly events: SessionEvents;
  readonly cache: SessionCache;
  readonly logger: Logger;
}

/** The session to compact. */
export interface CompactionRequest {
  readonly record: SessionRecord;
  readonly agent: AgentRuntime;
  readonly model: ResolvedModel;
  /** Size of the whole context now. */
  readonly contextTokens: number;
  /** Of that: system prompt and tools. */
  readonly overheadTokens: number;
  /** Somebody wants it smaller whatever the window says: a person, or a provider that found it too long. Then less than usual stays as it is. */
  readonly forced: boolean;
  /** What the person asked the summary to heed. */
  readonly instructions?: string;
  readonly signal: AbortSignal;
}

/** What a compaction did. */
export type CompactionOutcome =
  /** Nothing stands before the turn that could be summarised. */
  | { readonly type: "nothing" }
  /** `local`: no model could summarise it, so it was cut by rule. */
  | { readonly type: "compacted"; readonly how: "summary" | "local"; readonly tokensBefore: number };

/**
 * Replaces the older part of a conversation by a summary: cut between two turns, made by the agent's compaction model or its own, in chunks whose
 * summaries are reused when an attempt breaks off, and by a local rule when no model can, so that the next turn always proceeds (R9). The transcript
 * keeps everything.
 */
export class Compactor {
  readonly #services: CompactorOptions;
  readonly #kept = new Map<string, string>();

  constructor(services: CompactorOptions) {
    this.#services = services;
  }

  async compact(request: CompactionRequest): Promise<CompactionOutcome> {
    const { store, clock, cache, logger } = this.#services;
    const { record, agent } = request;
    const entries = await store.readContext(record.sessionId);
    const previous = entries.find((entry) => entry.type === "compaction");
    const kept = contextMessages(entries, { isOpen: false }).filter(({ entry }) => entry.type === "message");
    const messages = kept.map(({ message }) => message);
    const { reserveTokens, keepRecentTokens } = agent.config.compaction;
    const budget = {
      window: request.model.client.info.contextWindow,
      reserveTokens,
      keepRecentTokens: request.forced ? Math.min(keepRecentTokens, Math.floor(request.contextTokens / 4)) : keepRecentTokens,
      ...(previous === undefined ? {} : { previousSummary: previous.message.summary }),
    };
    if (messages.length === 0) return { type: "nothing" };
    const summary = await this.#summarise(messages, { ...budget, contextTokens: request.contextTokens }, request);
    const local = summary === undefined ? fallbackCompaction(messages, { ...budget, overheadTokens: request.overheadTokens }) : undefined;
    if (local !== undefined && local.firstKept === 0 && !local.shrunk) return { type: "nothing" };
    const result = summary ?? {
      text: local?.summary ?? "",
      // A single turn that is too large by itself goes as a whole: what is left of it stands in the summary.
      firstKept: local === undefined || local.shrunk ? messages.length : local.firstKept,
      tainted: local?.tainted ?? false,
    };
    const nowMs = clock.now();
    const notice = await store.appendEntry(
      record.sessionId,
      { type: "notice", level: "info", text: "Older messages were summarised to make room." },
      { timestampMs: nowMs },
    );
    await store.appendEntry(
      record.sessionId,
      {
        type: "compaction",
        message: {
          role: "compaction",
          summary: result.text,
          firstKeptEntryId: (kept[result.firstKept]?.entry ?? notice).id,
          tokensBefore: request.contextTokens,
          ...(result.tainted ? { tainted: true } : {}),
          timestamp: nowMs,
        },
      },
      { timestampMs: nowMs },
    );
    cache.drop(record.sessionId);
    this.#show(record.key, notice);
    const how = summary === undefined ? "local" : "summary";
    logger.info("Conversation compacted", { sessionKey: record.key, how, tokensBefore: request.contextTokens });
    return { type: "compacted", how, tokensBefore: request.contextTokens };
  }

  async #summarise(
    messages: readonly AgentMessage[],
    options: Parameters<typeof planCompaction>[1],
    request: CompactionRequest,
  ): Promise<{ readonly text: string; readonly firstKept: number; readonly tainted: boolean } | undefined> {
    const { clock, logger } = this.#services;
    const model = await this.#summariser(request);
    const plan = planCompaction(messages, { ...options, summariserWindow: model.info.contextWindow });
    if (plan === undefined) return undefined;
    using deadline = new RunDeadline(TIME_BUDGET_MS, { clock, outer: request.signal });
    const { signal } = deadline;
    try {
      let summaries: readonly string[] = [];
      for (const [index, chunk] of plan.chunks.entries()) {
        const part: SummaryPart = { type: "chunk", text: chunk.text, number: index + 1, count: plan.chunks.length };
        summaries = [...summaries, await this.#ask(model, part, request.instructions, signal)];
      }
      while (summaries.length > 1) {
        const merged: string[] = [];
        for (const group of groupSummaries(summaries, { window: model.info.contextWindow })) {
          merged.push(
            group.length === 1
              ? (group[0] ?? "")
              : await this.#ask(model, { type: "merge", summaries: group }, request.instructions, signal),
          );
        }
        summaries = merged;
      }
      return { text: limitSummary(summaries[0] ?? "", { window: options.window }), firstKept: plan.firstKept, tainted: plan.tainted };
    } catch (error) {
      if (!(error instanceof SummaryFailure)) throw error;
      // Before a turn there is time: who stopped it, or stops the process, does not mean to have the conversation cut by rule.
      if (!request.forced) request.signal.throwIfAborted();
      logger.warn("The conversation could not be summarised; it is cut by rule", { sessionKey: request.record.key, detail: error.message });
      return undefined;
    }
  }

  async #summariser(request: CompactionRequest): Promise<ModelClient> {
    const reference = request.agent.config.compaction.model;
    const model = reference === undefined ? request.model : await this.#services.models.resolve(reference);
    return chargedModel(
      modelChain([model], this.#services),
      { agentId: request.agent.config.id, kind: "compaction" },
      this.#services.spend,
    );
  }

  /** One summary; the same part is not asked for twice. */
  async #ask(model: ModelClient, part: SummaryPart, instructions: string | undefined, signal: AbortSignal): Promise<string> {
    const key = createHash("sha256")
      .update(JSON.stringify([model.info.provider, model.info.id, instructions, part]))
      .digest("hex");
    const known = this.#kept.get(key);
    if (known !== undefined) return known;
    const options = {
      window: model.info.contextWindow,
      nowMs: this.#services.clock.now(),
      ...(instructions === undefined ? {} : { instructions }),
    };
    const text = await readAnswer(model, renderSummaryRequest(part, options), signal);
    this.#kept.set(key, text);
    const oldest = this.#kept.keys().next();
    if (this.#kept.size > MAX_KEPT_SUMMARIES && oldest.done !== true) this.#kept.delete(oldest.value);
    return text;
  }

  #show(sessionKey: string, entry: TranscriptEntry): void {
    publishEntry(this.#services, sessionKey, entry, undefined);
  }
}

/** A summariser that gave no summary. */
class SummaryFailure extends Error {}

async function readAnswer(model: ModelClient, request: ReturnType<typeof renderSummaryRequest>, signal: AbortSignal): Promise<string> {
  for await (const event of model.stream({ ...request, cacheRetention: "none" }, { signal })) {
    if (event.type === "message-failed") throw new SummaryFailure(event.error.message, { cause: event.error });
    if (event.type !== "message-end") continue;
    const text = event.message.content
      .flatMap((block) => (block.type === "text" ? [block.text] : []))
      .join("\n")
      .trim();
    if (text === "") throw new SummaryFailure("the summariser said nothing");
    return text;
  }
  throw new SummaryFailure("the summariser's answer broke off");
}
