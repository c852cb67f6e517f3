import { addUsage, NO_USAGE_TOTALS, withoutUndefined } from "@factotum/agent-contract";
import type { AgentMessage, CompactionMessage, ModelClient, Random } from "@factotum/agent-contract";
import { fallbackCompaction, planCompaction } from "@factotum/agent-core";
import type { CompactionPlan } from "@factotum/agent-core";
import type { Origin } from "@factotum/channel-contract";
import { StoreError } from "@factotum/store";
import type { SessionRecord, SessionStore, TranscriptEntry, TranscriptStore, TurnEnd, TurnStore } from "@factotum/store";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import type { ResolvedModel } from "../agents/model-source.ts";
import { MessageDigests } from "../requests/message-digests.ts";
import { RequestRecorder } from "../requests/request-recorder.ts";
import type { SessionEvents } from "../events/session-events.ts";
import type { ObservedTurn } from "../observe/observer.ts";
import { hasMark, markedEntryId } from "../taint/taint.ts";
import { leftOutNotice } from "./compaction-outcome.ts";
import type { CompactedMessages, CompactionOutcome } from "./compaction-outcome.ts";
import { publishEntry } from "../delivery/publish-entry.ts";
import { isOversized } from "./is-oversized.ts";
import { contextMessages, HISTORY_BOUNDS } from "../context/read-history.ts";
import type { ContextMessage } from "../context/read-history.ts";
import type { SessionCache } from "../context/session-cache.ts";
import { Summaries } from "./summarise.ts";
import type { SummariserOptions } from "./summarise.ts";

/** The dependencies of a compaction. */
export interface CompactorOptions extends SummariserOptions {
  readonly store: SessionStore & TranscriptStore & TurnStore;
  readonly random: Random;
  readonly events: SessionEvents;
  readonly cache: SessionCache;
  /** Says something in the chat of a session; `id` is unique. */
  readonly tell: (record: SessionRecord, notice: { readonly id: string; readonly text: string }) => Promise<void>;
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
  /** A reduction independent of the window: requested by a person, or by a provider that found the request too long. Then less than usual is kept. */
  readonly forced: boolean;
  /** Older entries of the context that were not measured or read. */
  readonly omitted: number;
  /** The person's instructions for the summary. */
  readonly instructions?: string;
  /** No model is asked. */
  readonly byRule?: boolean;
  /** A person has asked for it, and gets the answer. */
  readonly isRequested?: boolean;
}

/** The replacement of the older messages, and the first message that stays. */
interface Cut extends Omit<CompactedMessages, "isOversized"> {
  readonly how: "summary" | "local";
  readonly text: string;
  readonly firstKept: number;
  readonly tainted: boolean;
}

/** A compaction of a session as of a turn's end. Dispose of it afterwards. */
export interface Compaction extends Disposable {
  readonly sessionId: string;
  /**
   * Requests the summary; the session may continue meanwhile. Resolves to false if no model gives one in time. Rejects if the signal fires, except for a run
   * that has timed out.
   */
  readonly summarise: (signal: AbortSignal) => Promise<boolean>;
  /** Stores the summary, or without one the result of the rule. Call it in the session's lane. */
  readonly finish: () => Promise<CompactionOutcome>;
  /** Stores the requests, and cuts nothing. Call it in the session's lane. */
  readonly abandon: (state: "failed" | "aborted") => Promise<void>;
}

interface Planned {
  readonly request: CompactionRequest;
  readonly turn: ObservedTurn;
  readonly plan: CompactionPlan | undefined;
  readonly client: ModelClient;
  readonly requests: RequestRecorder;
  /** Ids of the messages in the plan, in order. Later messages stay, including those of a running turn. */
  readonly messageIds: readonly string[];
  /** The previous compaction. */
  readonly previousId: string | undefined;
  /** Older entries that were not read. */
  readonly omitted: number;
  /** The history exceeds the window of the session's model. */
  readonly isOversized: boolean;
  /** The mark of the summary for a cut. The marks covered by `/trust` stay: it can be revoked. */
  readonly taintOf: (cut: Cut) => Pick<CompactionMessage, "tainted" | "taintedThrough">;
  /** Time of the last message that a cut leaves to the summary. */
  readonly until: (cut: Cut) => string;
  readonly byRule: () => Cut | undefined;
}

/** Calls of a summariser over a history that exceeds the model's window: the newest chunks, and one call that merges their summaries. */
const MAX_PASSES = 3;

const NOTHING: CompactionOutcome = { type: "nothing" };

const SUMMARISED = "Older messages of this conversation were summarised, to make room for new ones. The history still has all of them.";

/**
 * Replaces the older part of a conversation by a summary: cut between two turns, made by the agent's compaction model or its own, and by a local rule if no
 * model can, so that the next turn always proceeds (R9). The transcript keeps everything.
 */
export class Compactor {
  readonly #parts: CompactorOptions;
  readonly #summaries: Summaries;
  readonly #digests = new MessageDigests();

  constructor(parts: CompactorOptions) {
    this.#parts = parts;
    this.#summaries = new Summaries(parts);
  }

  /** Compacts the session in the foreground: call it in the session's lane. Rejects if the signal fires. */
  async compact(request: CompactionRequest, { signal }: { readonly signal: AbortSignal }): Promise<CompactionOutcome> {
    using compaction = await this.begin(request);
    if (compaction === undefined) return NOTHING;
    try {
      await compaction.summarise(signal);
    } catch (error) {
      if (!StoreError.isInstance(error)) await compaction.abandon("aborted");
      throw error;
    }
    return compaction.finish();
  }

  /** True if there is something to summarise or cut. Call it in the session's lane. */
  async canCompact(request: CompactionRequest): Promise<boolean> {
    return (await this.#plan(request)) !== undefined;
  }

  /** Plans a compaction; `undefined` if there is nothing to compact. Call it in the session's lane. */
  async begin(request: CompactionRequest): Promise<Compaction | undefined> {
    const planned = await this.#plan(request);
    if (planned === undefined) return undefined;
    const observed = this.#parts.observer.turnStarted(planned.turn);
    this.#observeBefore(request);
    let cut: Cut | undefined;
    return {
      sessionId: request.record.sessionId,
      summarise: async (signal) => {
        cut = await this.#summarise(planned, signal);
        return cut !== undefined;
      },
      finish: async () => {
        const outcome = await this.#finish(planned, cut ?? planned.byRule());
        this.#observeAfter(request, outcome);
        return outcome;
      },
      abandon: async (state) => {
        this.#observeAfter(request, NOTHING);
        const record = await this.#currentRecord(planned);
        if (record !== undefined) await this.#keepRequests(planned, record, state);
      },
      [Symbol.dispose]: () => observed[Symbol.dispose](),
    };
  }

  #observeBefore({ record, contextTokens, forced }: CompactionRequest): void {
    const { key: sessionKey, agentId, sessionId } = record;
    this.#parts.hooks.observe("before_compaction", () => ({ agentId, sessionKey, sessionId, contextTokens, forced }));
  }

  #observeAfter({ record }: CompactionRequest, outcome: CompactionOutcome): void {
    const { key: sessionKey, agentId, sessionId } = record;
    const facts =
      outcome.type === "nothing"
        ? ({ outcome: "none", summarised: 0, leftOut: 0 } as const)
        : ({ outcome: outcome.how === "summary" ? "summary" : "rule", summarised: outcome.summarised, leftOut: outcome.leftOut } as const);
    this.#parts.hooks.observe("after_compaction", () => ({ agentId, sessionKey, sessionId, ...facts }));
  }

  async #plan(request: CompactionRequest): Promise<Planned | undefined> {
    const { store, clock, random } = this.#parts;
    const { record, agent, contextTokens, overheadTokens } = request;
    const { entries, omitted } = await store.readRecentContext(record.sessionId, HISTORY_BOUNDS);
    const previous = entries.find((entry) => entry.type === "compaction");
    const context = contextMessages(entries, { isOpen: false });
    const kept = context.filter(({ entry }) => entry.type === "message");
    const messages = kept.map(({ message }) => message);
    if (messages.length === 0) return undefined;
    const { reserveTokens, keepRecentTokens } = agent.config.compaction;
    const budget = {
      window: request.model.client.info.contextWindow,
      reserveTokens,
      keepRecentTokens: request.forced ? Math.min(keepRecentTokens, Math.floor(contextTokens / 4)) : keepRecentTokens,
      ...withoutUndefined({ previousSummary: previous?.message.summary }),
      time: agent.time,
    };
    const { reference, client } = await this.#summaries.summariser(agent, request.model, record.key);
    const isLarger = isOversized({ contextTokens, omitted }, budget.window);
    const plan =
      request.byRule === true
        ? undefined
        : planCompaction(messages, {
            ...budget,
            contextTokens,
            summariserWindow: client.info.contextWindow,
            ...(isLarger ? { maxChunks: MAX_PASSES - 1 } : {}),
          });
    const byRule = (): Cut | undefined => cutByRule(messages, { ...budget, overheadTokens, omitted });
    if (plan === undefined && byRule() === undefined) return undefined;
    const requests = new RequestRecorder({
      view: { settledBeforeMs: 0, contextWindow: client.info.contextWindow, prunes: false },
      causes: [],
      sentBefore: 0,
      model: reference,
      credentialOf: () => undefined,
      lastEntryId: entries.at(-1)?.id ?? "",
      digests: this.#digests,
      clock,
    });
    return {
      request,
      turn: { id: random.uuid(), kind: "compaction", sessionKey: record.key, inputIds: [] },
      plan,
      client: requests.wrap(client),
      requests,
      messageIds: kept.map(({ entry }) => entry.id),
      previousId: previous?.id,
      omitted,
      isOversized: isLarger,
      taintOf: (cut) => taintOf(cut, { context, kept, omitted }),
      until: ({ firstKept }) => agent.time.timestamp(messages[firstKept - 1]?.timestamp ?? clock.now()),
      byRule,
    };
  }

  async #summarise({ plan, request, client, omitted }: Planned, signal: AbortSignal): Promise<Cut | undefined> {
    if (plan === undefined) return undefined;
    const text = await this.#summaries.summarise(
      { plan, sessionKey: request.record.key, instructions: request.instructions, window: request.model.client.info.contextWindow },
      client,
      signal,
    );
    if (text === undefined) return undefined;
    const leftOut = plan.leftOut + omitted;
    return {
      how: "summary",
      text: leftOut === 0 ? text : `${leftOut} older messages before these were left out, and are not summarised.\n\n${text}`,
      firstKept: plan.firstKept,
      // Unread entries may be anyone's text.
      tainted: plan.tainted || omitted > 0,
      summarised: plan.firstKept - plan.leftOut,
      leftOut,
    };
  }

  /** The session may have continued since the plan was made: newer messages stay. If it was reset or compacted, nothing is cut. */
  async #finish(planned: Planned, cut: Cut | undefined): Promise<CompactionOutcome> {
    const { store, cache, clock, logger } = this.#parts;
    const { request, turn, previousId } = planned;
    const record = await this.#currentRecord(planned);
    if (record === undefined) return NOTHING;
    const { entries } = await store.readRecentContext(record.sessionId, HISTORY_BOUNDS);
    const last = planned.messageIds.at(-1);
    // On another branch than the one that was planned for, the last message is not there.
    const isBranched = last !== undefined && !entries.some(({ id }) => id === last);
    if (cut === undefined || isBranched || entries.find(({ type }) => type === "compaction")?.id !== previousId) {
      await this.#keepRequests(planned, record, cut === undefined ? "failed" : "aborted");
      return NOTHING;
    }
    const { how, summarised, leftOut } = cut;
    const outcome: CompactionOutcome = {
      type: "compacted",
      how,
      tokensBefore: request.contextTokens,
      summarised,
      leftOut,
      isOversized: planned.isOversized,
    };
    try {
      await this.#startTurn(planned, record);
      const nowMs = clock.now();
      const text = leftOutNotice(outcome) ?? "Older messages were summarised to make room.";
      const notices = await store.appendToTurn(turn.id, { entries: [{ type: "notice", level: "info", text }], timestampMs: nowMs });
      const message: CompactionMessage = {
        role: "compaction",
        summary: `Until ${planned.until(cut)}:\n${cut.text}`,
        firstKeptEntryId:
          planned.messageIds[cut.firstKept] ?? firstMessageAfter(planned.messageIds.at(-1) ?? "", entries) ?? notices[0]?.id ?? "",
        tokensBefore: request.contextTokens,
        ...planned.taintOf(cut),
        timestamp: nowMs,
      };
      await this.#endTurn(planned, record, { state: "done", entries: [{ type: "compaction", message }] });
      for (const entry of notices) publishEntry(this.#parts, record.key, entry, undefined);
    } finally {
      cache.drop(record.sessionId);
    }
    logger.info("Conversation compacted", { sessionKey: record.key, how, tokensBefore: request.contextTokens, summarised, leftOut });
    if (request.agent.config.compaction.notifyUser && request.isRequested !== true) await this.#tell(record, turn.id, outcome);
    return outcome;
  }

  /** Says it in the chat. A reply says itself what was left out. */
  async #tell(record: SessionRecord, id: string, outcome: CompactionOutcome): Promise<void> {
    if (leftOutNotice(outcome) !== undefined) return;
    try {
      await this.#parts.tell(record, { id, text: SUMMARISED });
    } catch (error) {
      // The summary is stored already.
      this.#parts.logger.error("The notice of a summary could not be sent", { sessionKey: record.key, error });
    }
  }

  /** The session, if its conversation is still the planned one. */
  async #currentRecord({ request: { record } }: Planned): Promise<SessionRecord | undefined> {
    const current = await this.#parts.store.readSession(record.key);
    return current?.sessionId === record.sessionId ? current : undefined;
  }

  async #keepRequests(planned: Planned, record: SessionRecord, state: "failed" | "aborted"): Promise<void> {
    await this.#startTurn(planned, record);
    await this.#endTurn(planned, record, { state, entries: [] });
  }

  /** The work has its own turn, so that its requests are stored like others. */
  async #startTurn({ turn }: Planned, record: SessionRecord): Promise<void> {
    const nobody: Origin = { channel: "gateway", accountId: "default", conversation: { kind: "direct", id: record.key } };
    await this.#parts.store.startTurn({
      id: turn.id,
      session: record,
      touch: {},
      kind: "compaction",
      origin: record.lastOrigin ?? nobody,
      owner: true,
      inputIds: [],
      entries: [],
      startedAtMs: this.#parts.clock.now(),
    });
  }

  /** The summary's usage is added to the session; the context size comes only from the session's own requests. */
  async #endTurn(planned: Planned, { usage }: SessionRecord, end: Pick<TurnEnd, "state" | "entries">): Promise<void> {
    const requests = planned.requests.finish();
    const used = requests.reduce((sum, request) => addUsage(sum, request.usage), NO_USAGE_TOTALS);
    const { lastInput, lastCacheRead, lastCacheWrite } = usage;
    await this.#parts.store.endTurn({
      ...end,
      requests,
      turnId: planned.turn.id,
      outbox: [],
      usage: { ...used, lastInput, lastCacheRead, lastCacheWrite },
      inputState: { type: "silent" },
      endedAtMs: this.#parts.clock.now(),
    });
    this.#parts.observer.turnEnded(planned.turn, end.state);
  }
}

/** The next summary is based on this one, and so are its marks. */
function taintOf(
  cut: Cut,
  planned: { readonly context: readonly ContextMessage[]; readonly kept: readonly ContextMessage[]; readonly omitted: number },
): Pick<CompactionMessage, "tainted" | "taintedThrough"> {
  const previous = planned.context.filter(({ entry }) => entry.type === "compaction");
  const isTainted = cut.tainted || hasMark([...previous, ...planned.kept.slice(0, cut.firstKept)].map(({ message }) => message));
  if (!isTainted) return {};
  if (planned.omitted > 0) return { tainted: true };
  const marked = [...previous, ...planned.kept.slice(0, cut.firstKept)].flatMap((message) => markedEntryId(message) ?? []);
  const newest = marked.toSorted().at(-1);
  return newest === undefined ? { tainted: true } : { tainted: true, taintedThrough: newest };
}

/** Truncates by rule; `undefined` if nothing can be removed. */
function cutByRule(
  messages: readonly AgentMessage[],
  options: Parameters<typeof fallbackCompaction>[1] & { readonly omitted: number },
): Cut | undefined {
  const { omitted } = options;
  const { summary, firstKept, shrunk, words, tainted } = fallbackCompaction(messages, options);
  if (firstKept === 0 && !shrunk && omitted === 0) return undefined;
  const rule = { how: "local", summarised: 0 } as const;
  // A single turn that is too large is replaced as a whole: only its summary is left.
  if (!shrunk) return { ...rule, text: summary, firstKept, tainted: tainted || omitted > 0, leftOut: omitted + firstKept };
  const isTainted = omitted > 0 || hasMark(messages);
  const text = `${summary}\nWhat is left of it:\n${words}`;
  return { ...rule, text, firstKept: messages.length, tainted: isTainted, leftOut: omitted + firstKept };
}

function firstMessageAfter(entryId: string, entries: readonly TranscriptEntry[]): string | undefined {
  const at = entries.findIndex(({ id }) => id === entryId);
  return entries.slice(at + 1).find(({ type }) => type === "message")?.id;
}
