import { createHash } from "node:crypto";
import { addUsage, ModelError, NO_USAGE_TOTALS } from "@factotum/agent-contract";
import type { AgentMessage, Clock, CompactionMessage, Logger, ModelClient, Random } from "@factotum/agent-contract";
import { fallbackCompaction, groupSummaries, limitSummary, planCompaction, renderSummaryRequest } from "@factotum/agent-core";
import type { CompactionPlan, SummaryPart } from "@factotum/agent-core";
import type { Origin } from "@factotum/channel-contract";
import type { Cooldowns } from "@factotum/models";
import { StoreError } from "@factotum/store";
import type { NewRequest, SessionRecord, Store, TurnEnd } from "@factotum/store";
import { LRUCache } from "lru-cache";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import { modelChain } from "../agents/model-chain.ts";
import type { ResolvedModel } from "../agents/model-source.ts";
import type { RunningConfig } from "../config/running-config.ts";
import { MessageDigests } from "../context/message-digests.ts";
import { RequestRecorder } from "../context/request-recorder.ts";
import type { SessionEvents } from "../events/session-events.ts";
import { observedModel } from "../observe/observed-model.ts";
import type { Observer } from "../observe/observer.ts";
import { chargedModel } from "../spend/charged-model.ts";
import type { SpendGuard } from "../spend/spend-guard.ts";
import { publishEntry } from "./publish-entry.ts";
import { contextMessages } from "./read-history.ts";
import { RunDeadline } from "./run-deadline.ts";
import type { SessionCache } from "./session-cache.ts";

/** How long the summarising may take in all. What is ready then is kept for the next attempt, and the history is cut locally (R9). */
const TIME_BUDGET_MS = 120_000;
/** Summaries of chunks that are kept for another attempt, over all sessions, and their characters. */
const MAX_KEPT_SUMMARIES = 500;
const MAX_KEPT_CHARS = 4 * 1024 * 1024;

/** What compacting is done with. */
export interface CompactorOptions {
  readonly store: Store;
  readonly running: RunningConfig;
  readonly spend: SpendGuard;
  readonly cooldowns: Cooldowns;
  readonly clock: Clock;
  readonly random: Random;
  readonly events: SessionEvents;
  readonly cache: SessionCache;
  readonly observer: Observer;
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
  readonly #kept = new LRUCache<string, string>({ max: MAX_KEPT_SUMMARIES, maxSize: MAX_KEPT_CHARS });
  readonly #digests = new MessageDigests();

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
    const { model, client } = await this.#summariser(request);
    const plan = planCompaction(messages, { ...budget, contextTokens: request.contextTokens, summariserWindow: client.info.contextWindow });
    const byRule = (): Cut | undefined => cutByRule(messages, { ...budget, overheadTokens: request.overheadTokens });
    if (plan === undefined && byRule() === undefined) return { type: "nothing" };
    const requests = new RequestRecorder({
      view: { settledBeforeMs: 0, contextWindow: client.info.contextWindow, prunes: false },
      causes: [],
      sentBefore: 0,
      model: model.reference,
      credentialOf: () => undefined,
      lastEntryId: entries.at(-1)?.id ?? "",
      digests: this.#digests,
      clock,
    });
    const { turn } = await this.#beginTurn(record);
    using _observed = this.#services.observer.turnStarted(turn);
    try {
      const summary = plan === undefined ? undefined : await this.#summarise(plan, requests.wrap(client), request);
      const cut = summary ?? byRule();
      if (cut === undefined) {
        await this.#endTurn(turn.id, record, { state: "failed", entries: [], requests: requests.finish() });
        return { type: "nothing" };
      }
      await this.#commit(turn.id, request, { ...cut, firstKeptEntryId: kept[cut.firstKept]?.entry.id }, requests.finish());
      const how = summary === undefined ? "local" : "summary";
      logger.info("Conversation compacted", { sessionKey: record.key, how, tokensBefore: request.contextTokens });
      return { type: "compacted", how, tokensBefore: request.contextTokens };
    } catch (error) {
      if (!StoreError.isInstance(error))
        await this.#endTurn(turn.id, record, { state: "aborted", entries: [], requests: requests.finish() });
      throw error;
    } finally {
      cache.drop(record.sessionId);
    }
  }

  /** The work has a turn of its own, so that its requests are kept like others. */
  async #beginTurn(record: SessionRecord): ReturnType<Store["startTurn"]> {
    const nobody: Origin = { channel: "gateway", accountId: "default", conversation: { kind: "direct", id: record.key } };
    return this.#services.store.startTurn({
      id: this.#services.random.uuid(),
      session: record,
      touch: {},
      kind: "compaction",
      origin: record.lastOrigin ?? nobody,
      owner: true,
      inputIds: [],
      entries: [],
      startedAtMs: this.#services.clock.now(),
    });
  }

  async #commit(
    turnId: string,
    { record, contextTokens }: CompactionRequest,
    cut: Cut & { readonly firstKeptEntryId: string | undefined },
    requests: readonly NewRequest[],
  ): Promise<void> {
    const { store, clock } = this.#services;
    const nowMs = clock.now();
    const text = "Older messages were summarised to make room.";
    const notices = await store.appendToTurn(turnId, { entries: [{ type: "notice", level: "info", text }], timestampMs: nowMs });
    const message: CompactionMessage = {
      role: "compaction",
      summary: cut.text,
      firstKeptEntryId: cut.firstKeptEntryId ?? notices[0]?.id ?? "",
      tokensBefore: contextTokens,
      ...(cut.tainted ? { tainted: true } : {}),
      timestamp: nowMs,
    };
    await this.#endTurn(turnId, record, { state: "done", entries: [{ type: "compaction", message }], requests });
    for (const entry of notices) publishEntry(this.#services, record.key, entry, undefined);
  }

  /** What the summary used is added to the session; how large its context is, only its own requests say. */
  async #endTurn(
    turnId: string,
    { key, usage }: SessionRecord,
    end: Pick<TurnEnd, "state" | "entries"> & { readonly requests: readonly NewRequest[] },
  ): Promise<void> {
    const used = end.requests.reduce((sum, request) => addUsage(sum, request.usage), NO_USAGE_TOTALS);
    const { lastInput, lastCacheRead, lastCacheWrite } = usage;
    await this.#services.store.endTurn({
      ...end,
      turnId,
      outbox: [],
      usage: { ...used, lastInput, lastCacheRead, lastCacheWrite },
      inputState: { type: "silent" },
      endedAtMs: this.#services.clock.now(),
    });
    this.#services.observer.turnEnded({ id: turnId, kind: "compaction", sessionKey: key, inputIds: [] }, end.state);
  }

  async #summarise(plan: CompactionPlan, model: ModelClient, request: CompactionRequest): Promise<Cut | undefined> {
    const { clock, logger } = this.#services;
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
      const text = limitSummary(summaries[0] ?? "", { window: request.model.client.info.contextWindow });
      return { text, firstKept: plan.firstKept, tainted: plan.tainted };
    } catch (error) {
      if (!(error instanceof SummaryFailure)) throw error;
      // Who stopped it, or stops the process, does not mean to have the conversation cut by rule. A turn whose time is over leaves room to the next.
      if (!RunDeadline.caused(request.signal)) request.signal.throwIfAborted();
      logger.warn("The conversation could not be summarised; it is cut by rule", { sessionKey: request.record.key, detail: error.message });
      return undefined;
    }
  }

  /** The model that is configured for summaries, and behind it the session's own (R9). */
  async #summariser(request: CompactionRequest): Promise<{ readonly model: ResolvedModel; readonly client: ModelClient }> {
    const own = await this.#ownModel(request.agent);
    const model = own ?? request.model;
    const models = own === undefined || own.reference === request.model.reference ? [model] : [own, request.model];
    const cause = { agentId: request.agent.config.id, kind: "compaction" } as const;
    const wrap = (one: ModelClient): ModelClient => observedModel(one, cause, this.#services.observer);
    return { model, client: chargedModel(modelChain(models, { ...this.#services, wrap }), cause, this.#services.spend) };
  }

  /** A model that cannot be used keeps no conversation from going on. */
  async #ownModel({ config }: AgentRuntime): Promise<ResolvedModel | undefined> {
    if (config.compaction.model === undefined) return undefined;
    try {
      return await this.#services.running.current.models.resolve(config.compaction.model);
    } catch (error) {
      if (!ModelError.isInstance(error)) throw error;
      const { logger } = this.#services;
      logger.warn("The model for summaries cannot be used; the session's own writes them", { agent: config.id, detail: error.message });
      return undefined;
    }
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
    this.#kept.set(key, text, { size: text.length });
    return text;
  }
}

/** What stands for the older messages, and which message is the first that stays. */
interface Cut {
  readonly text: string;
  readonly firstKept: number;
  readonly tainted: boolean;
}

/** `undefined`: there is nothing that could be cut. */
function cutByRule(messages: readonly AgentMessage[], options: Parameters<typeof fallbackCompaction>[1]): Cut | undefined {
  const { summary, firstKept, shrunk, tainted } = fallbackCompaction(messages, options);
  if (firstKept === 0 && !shrunk) return undefined;
  // A single turn that is too large by itself goes as a whole: what is left of it stands in the summary.
  return { text: summary, firstKept: shrunk ? messages.length : firstKept, tainted };
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
