import { withoutUndefined } from "@factotum/agent-contract";
import type { Logger, Random, Clock, AgentMessage, AgentTool, RunFacts, SystemPrompt, UserMessage } from "@factotum/agent-contract";
import type {
  InboxStore,
  InputRecord,
  LedgerStore,
  NewTurn,
  PendingCommit,
  PromptRecord,
  SessionRecord,
  StartedTurn,
  TranscriptEntry,
  TranscriptStore,
  TurnRecord,
  TurnStore,
} from "@factotum/store";
import { opensFiles, viewHistory } from "@factotum/agent-core";
import type { HistoryView, HistoryViewOptions, ModelSettings } from "@factotum/agent-core";
import type { Origin } from "@factotum/channel-contract";
import { StoreError } from "@factotum/store";
import type { InputWatchers } from "../queue/run-report.ts";
import type { SessionEvents } from "../events/session-events.ts";
import type { MediaStage } from "../media/media-stage.ts";
import type { SessionCache } from "../context/session-cache.ts";
import type { Conversations } from "../conversation/conversations.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { LaneShutdown } from "../kernel/lane-abort.ts";
import { withFetchedContext } from "../messages/fetch-context.ts";
import { publishEntry } from "../delivery/publish-entry.ts";
import type { AgentRuntime } from "../agents/agent-directory.ts";
import type { ResolvedModel } from "../agents/model-source.ts";
import type { RequestRecorderOptions } from "../requests/request-recorder.ts";
import { turnMessages } from "../delivery/sent-texts.ts";
import type { CompactionOutcome } from "../summaries/compaction-outcome.ts";
import { longTextTokens, shortenMessages } from "../messages/long-message.ts";
import type { SessionCompactor } from "../compaction/session-compactor.ts";
import type { BackgroundCompactor } from "../compaction/background-compactor.ts";
import { hasMark, isHistoryTainted } from "../taint/taint.ts";
import { createNewTurn } from "../conversation/new-turn.ts";
import { contextMessages } from "../context/read-history.ts";
import { parseBasis } from "../prompt/prompt-cause.ts";
import { withdrawnText, withCurrentAuthorization } from "../conversation/current-authorization.ts";
import { readShownHistory } from "../prompt/rerender-history.ts";
import type { PromptResolver, ResolvedPrompt } from "../prompt/prompt-resolver.ts";
import { runFacts } from "../prompt/run-facts.ts";
import type { TurnMessages, TurnMessagesRequest } from "../messages/turn-messages.ts";
import { isStorageFull } from "../storage/is-storage-full.ts";
import type { SessionContext } from "../conversation/session-context.ts";
import { inputsOf, isLost, leadInput, messagesIn } from "../queue/turn-job.ts";
import type { InputJob, MessagesJob } from "../queue/turn-job.ts";
import { raceAbort } from "../kernel/race-abort.ts";

/** Entries that are read at once. */
const TRANSCRIPT_PAGE = 200;

/** A turn that is written and ready for the loop. */
export interface PreparedTurn {
  readonly turn: TurnRecord;
  /** Resolves once the turn is on disk, and rejects when it cannot be brought there. Its first request may leave before; nothing is shown or done. */
  readonly committed: Promise<void>;
  readonly facts: RunFacts;
  readonly agent: AgentRuntime;
  readonly model: ResolvedModel;
  readonly fallbacks: readonly ResolvedModel[];
  readonly system: SystemPrompt;
  readonly tools: readonly AgentTool[];
  /** Who sees the model's thoughts. */
  readonly reasoning: SessionContext["reasoning"];
  /** Whether the chat is told of tools. */
  readonly verbose: SessionContext["verbose"];
  /** What every model request of the turn asks for. */
  readonly settings: ModelSettings;
  /** The level of thinking was asked for in the message itself, for this turn alone. */
  readonly isThinkingAsked: boolean;
  /** The message itself asks for the model's thoughts. */
  readonly areThoughtsAsked: boolean;
  /** What was committed before the last of this turn's user entries. */
  readonly history: readonly AgentMessage[];
  /** What a turn that goes on has said and been told so far; the history may have less of it. */
  readonly own: readonly AgentMessage[];
  /** `undefined` for a turn that goes on. */
  readonly prompt: UserMessage | undefined;
  readonly tainted: boolean;
  /** What it is a turn of. */
  readonly inputs: readonly InputRecord[];
  /** Entries of the first commit, for those who watch. */
  readonly entries: readonly TranscriptEntry[];
  readonly session: SessionRecord;
  /** What was compacted before its first request. */
  readonly compacted: CompactionOutcome;
  /** What its model requests are kept with. */
  readonly kept: Pick<RequestRecorderOptions, "promptHash" | "view" | "causes" | "sentBefore"> & { readonly lastEntryId: string };
}

/** What turns are prepared with. */
export interface TurnPreparerOptions {
  readonly store: InboxStore & LedgerStore & TranscriptStore & TurnStore;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly conversations: Conversations;
  readonly sessionCompactor: SessionCompactor;
  readonly prompts: PromptResolver;
  readonly messages: TurnMessages;
  readonly cache: SessionCache;
  readonly media: MediaStage;
  readonly events: SessionEvents;
  readonly watchers: InputWatchers;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** Makes turns of what was said, and of what the last process left. */
export class TurnPreparer {
  readonly #options: TurnPreparerOptions;

  constructor(options: TurnPreparerOptions) {
    this.#options = options;
  }

  /** Makes a turn of what was said: session, prompt and the user's entries in one commit, which may still be on its way. */
  async prepareInput(
    sessionKey: string,
    job: InputJob,
    options: {
      readonly signal: AbortSignal;
      readonly showsGroup: (sessionId: string) => boolean;
      readonly backgroundCompactor: BackgroundCompactor;
    },
  ): Promise<PreparedTurn> {
    const { store, clock, random, conversations, sessionCompactor, prompts, messages, cache, running } = this.#options;
    const { message, admission } = leadInput(job);
    const { signal } = options;
    const bound = { signal, clock };
    const found = await raceAbort(conversations.readContext(sessionKey, job.agentId, message.origin), bound);
    const renewed = await conversations.resetIfStale(found, sessionKey, job);
    const { context, outcome: compacted } = await sessionCompactor.ensure(renewed, {
      ...options,
      incomingTokens: longTextTokens(
        messagesIn(job).map(({ input }) => input.message.text),
        renewed.model.client.info.contextWindow,
      ),
    });
    const nowMs = clock.now();
    const isPrivate = (context.record?.isPrivate ?? true) && admission.owner && !context.isGroup;
    const prompt = await raceAbort(
      prompts.resolve({ sessionKey, kind: admission.kind, extra: admission.extra, isPrivate, turnStartedAtMs: nowMs, signal }, context),
      bound,
    );
    const { messages: history, isReplaced, replacement } = await readShownHistory(prompt, context, { store, cache });
    const { kind, owner } = admission;
    const run = { id: random.uuid(), kind, owner, sessionKey, sessionId: context.sessionId };
    const facts = await raceAbort(runFacts(run, context, running), bound);
    const users = await raceAbort(
      messages.begin(
        job,
        { sessionKey, facts, history, nowMs, isPrivate, showsGroup: options.showsGroup(context.sessionId), signal },
        prompt,
        context,
      ),
      bound,
    );
    const earlier =
      context.record === undefined
        ? await earlierMessages(leadInput(job), { sessionKey, tools: prompt.record.tools }, context, this.#options.media)
        : [];
    const newTurn = createNewTurn(
      job,
      {
        id: facts.runId,
        sessionKey,
        replacement,
        messages: [...earlier, ...users],
        nowMs,
        ...(prompt.isNew ? { prompt: prompt.record } : {}),
      },
      context,
    );
    const { result: started, committed } = await startTurn(newTurn, job, store);
    if (context.record === undefined) cache.set(context.sessionId, []);
    cache.setPrompt(context.sessionId, prompt.record);
    cache.append(context.sessionId, started.entries);
    const view = viewOptions(prompt, message.origin, context);
    const shown = withQuarantine(viewHistory([...history, ...earlier], users[0], view), isReplaced);
    logBreaks(sessionKey, shown, this.#options.logger);
    return {
      ...assemble(started.turn, context, prompt.record, facts, inputsOf(job), job.type === "messages" ? job.directives : undefined),
      committed: this.#settleStart(committed, job, context.sessionId),
      history: [...shown.messages, ...users.slice(0, -1)],
      own: [],
      compacted,
      kept: { ...keptFacts(prompt, view, shown), sentBefore: 0, lastEntryId: started.entries.at(-1)?.id ?? "" },
      prompt: users.at(-1),
      inputs: inputsOf(job),
      tainted: hasMark(users) || (await isHistoryTainted(shown.messages, context.record, { store })),
      entries: started.entries,
      session: started.session,
    };
  }

  /** Takes up a turn that the last process left: the prompt as it was stored, the transcript as far as it was committed. */
  async prepareResumed(begun: TurnRecord, options: { readonly signal: AbortSignal }): Promise<PreparedTurn> {
    const { store, clock, conversations, prompts, cache, running } = this.#options;
    const { signal } = options;
    const inputs = await readInputs(begun, store);
    const turn = withCurrentAuthorization(begun, inputs, running.config);
    const bound = { signal, clock };
    const context = await raceAbort(conversations.readContext(turn.sessionKey, turn.agentId, turn.origin), bound);
    if (context.record === undefined) throw new Error(`the session ${turn.sessionKey} of an open turn is not there`);
    const prompt = await raceAbort(
      prompts.resolve(
        {
          sessionKey: turn.sessionKey,
          kind: turn.kind,
          extra: undefined,
          isPrivate: context.record.isPrivate && turn.owner,
          turnStartedAtMs: turn.startedAtMs,
          signal,
        },
        context,
      ),
      bound,
    );
    if (prompt.isNew) await store.savePrompt({ ...prompt.record, sessionId: context.sessionId });
    cache.drop(context.sessionId);
    const { messages: history, isReplaced, replacement } = await readShownHistory(prompt, context, { store, cache }, turn.id);
    if (replacement !== undefined) await store.appendToTurn(turn.id, { entries: [replacement], timestampMs: clock.now() });
    const own = await readTurnMessages(turn, context.sessionId, store);
    const newest = await store.readTranscript(context.sessionId, { limit: 1 });
    const sent = await store.listRequests({ sessionId: context.sessionId, turnId: turn.id, limit: 1 });
    const view = viewOptions(prompt, turn.origin, context);
    const shown = withQuarantine(viewHistory(history, undefined, view), isReplaced);
    logBreaks(turn.sessionKey, shown, this.#options.logger);
    return {
      ...assemble(turn, context, prompt.record, await raceAbort(runFacts(turn, context, running), bound), inputs),
      committed: Promise.resolve(),
      history: shown.messages,
      own,
      compacted: { type: "nothing" },
      kept: {
        ...keptFacts(prompt, view, shown),
        // A crash loses the rows of requests, and its answers stay.
        sentBefore: Math.max(sent.items[0]?.number ?? 0, own.filter(({ role }) => role === "assistant").length),
        lastEntryId: newest.items[0]?.id ?? "",
      },
      prompt: undefined,
      inputs,
      // Who is the owner no more has spoken as the owner, unmarked.
      tainted: begun.owner !== turn.owner || hasMark(own) || (await isHistoryTainted(shown.messages, context.record, { store })),
      entries: [],
      session: context.record,
    };
  }

  /**
   * Begins the turn of a job that no model can be asked about, so that its session and what was said are on disk before anything is refused: the next turn
   * has the words in its history, and a restart in between tries again. Rejects when the store does, or at a shutdown.
   */
  async beginRefused(sessionKey: string, refused: InputJob, { signal }: { readonly signal: AbortSignal }): Promise<TurnRecord> {
    const { store, clock, random, conversations, running, messages, cache, events, media, watchers } = this.#options;
    const job = await withFetchedContext(refused, this.#options, { signal });
    const { message, admission } = leadInput(job);
    if (job.arrival.type === "committing") await job.arrival.committed;
    const found = await conversations.readFacts(sessionKey, job.agentId, message.origin);
    const context = { ...(await conversations.resetIfStale(found, sessionKey, job)), model: undefined, fallbacks: [] };
    const nowMs = clock.now();
    const { kind, owner } = admission;
    const run = { id: random.uuid(), kind, owner, sessionKey, sessionId: context.sessionId };
    const isPrivate = (context.record?.isPrivate ?? true) && owner && !context.isGroup;
    const render = async (facts: RunFacts | undefined): Promise<readonly UserMessage[]> => {
      const request: TurnMessagesRequest = { sessionKey, facts, history: [], nowMs, isPrivate, showsGroup: false, signal };
      return messages.begin(job, request, undefined, context);
    };
    let users: readonly UserMessage[];
    try {
      const bound = { signal, clock };
      users = await raceAbort(render(await raceAbort(runFacts(run, context, running), bound)), bound);
    } catch (error) {
      if (StoreError.isInstance(error) || signal.reason instanceof LaneShutdown) throw error;
      // What keeps the turn from beginning may be the workspace itself: the words alone need none.
      users = await render(undefined);
    }
    const earlier = context.record === undefined ? (admission.history ?? []) : [];
    const started = await store.startTurn(createNewTurn(job, { id: run.id, sessionKey, messages: [...earlier, ...users], nowMs }, context));
    cache.drop(context.sessionId);
    for (const input of inputsOf(job)) await media.release(input.message);
    watchers.claimed(started.turn.inputIds, started.turn.id);
    for (const entry of started.entries) publishEntry({ events }, sessionKey, entry, undefined);
    return started.turn;
  }

  /** What is kept in memory of a turn is true once it is on disk, and its uploads are not needed any more then. */
  async #settleStart(committed: Promise<void>, job: InputJob, sessionId: string): Promise<void> {
    try {
      await committed;
    } catch (error) {
      this.#options.cache.drop(sessionId);
      throw error;
    }
    for (const input of inputsOf(job)) await this.#options.media.release(input.message);
  }
}

/** What a client has sent along with its message, as the session's history. */
async function earlierMessages(
  { admission }: InputRecord,
  { sessionKey, tools }: { readonly sessionKey: string; readonly tools: readonly { readonly name: string }[] },
  { sessionId, model }: SessionContext,
  media: MediaStage,
): Promise<readonly AgentMessage[]> {
  const place = { sessionId, sessionKey, untrusted: !admission.owner };
  const store = opensFiles(tools, admission) ? media.store : undefined;
  return shortenMessages(admission.history ?? [], model.client.info.contextWindow, place, store);
}

/**
 * Ahead of the commit, so that the first request is on its way while the disk is written to. What has failed before waits for its commit, and for space:
 * what it costs is asked for once it is sure to be kept.
 */
async function startTurn(turn: NewTurn, job: InputJob, store: TurnStore): Promise<PendingCommit<StartedTurn>> {
  if (isLost(job)) throw new StoreError("not-found", "What this turn is about was never taken in.");
  if (job.failures === undefined && job.arrival.type !== "recovered") {
    try {
      return await store.startTurnOptimistic(turn);
    } catch (error) {
      if (!isStorageFull(error)) throw error;
    }
  }
  return { result: await store.startTurn(turn), committed: Promise.resolve() };
}

/**
 * What a turn has said and been told so far, by whose it is and not by its time: the clock may have been set back in the middle. Also what a summary
 * stands for, when the conversation was compacted in the middle of the turn.
 */
async function readTurnMessages(turn: TurnRecord, sessionId: string, store: TranscriptStore): Promise<readonly AgentMessage[]> {
  let entries: readonly TranscriptEntry[] = [];
  for (let before: string | undefined, isMore = true; isMore;) {
    const page = await store.readTranscript(sessionId, { limit: TRANSCRIPT_PAGE, ...withoutUndefined({ before }) });
    const start = page.items.findLastIndex((entry) => entry.type === "message" && entry.turnId !== turn.id) + 1;
    entries = [...page.items.slice(start), ...entries];
    before = page.cursor;
    isMore = start === 0 && before !== undefined;
  }
  const own = entries.filter((entry) => entry.turnId === turn.id);
  return turnMessages(contextMessages(own, { isOpen: true }).map(({ message }) => message));
}

/** The inputs of a turn, as they were committed. */
export async function readInputs({ inputIds }: TurnRecord, store: InboxStore): Promise<readonly InputRecord[]> {
  return (await Promise.all(inputIds.map(async (id) => store.readInput(id)))).filter((input) => input !== undefined);
}

function keptFacts(
  prompt: ResolvedPrompt,
  { historyLimit, ...view }: HistoryViewOptions,
  { breaks }: HistoryView,
): Pick<PreparedTurn["kept"], "promptHash" | "view" | "causes"> {
  return {
    promptHash: prompt.record.hash,
    view: { ...view, ...withoutUndefined({ historyLimit }) },
    causes: [...(prompt.isNew ? [prompt.record.cause] : []), ...breaks],
  };
}

function withQuarantine(view: HistoryView, isReplaced: boolean): HistoryView {
  return isReplaced ? { ...view, breaks: [...view.breaks, "quarantine"] } : view;
}

function logBreaks(sessionKey: string, { breaks }: HistoryView, logger: Logger): void {
  for (const cause of breaks) logger.info("Prompt break", { sessionKey, cause });
}

function viewOptions(prompt: ResolvedPrompt, origin: Origin, context: SessionContext): HistoryViewOptions {
  const limits = context.channel?.account?.historyLimit;
  const { kind, threadId } = origin.conversation;
  return {
    settledBeforeMs: parseBasis(prompt.record.basis)?.settledBeforeMs ?? 0,
    contextWindow: context.model.client.info.contextWindow,
    prunes: context.agent.config.contextPruning.mode === "cache-ttl",
    historyLimit: threadId !== undefined ? limits?.thread : kind === "direct" ? limits?.direct : limits?.group,
  };
}

function assemble(
  turn: TurnRecord,
  found: SessionContext,
  prompt: Omit<PromptRecord, "sessionId">,
  facts: RunFacts,
  inputs: readonly InputRecord[],
  directives: MessagesJob["directives"] = {},
): Pick<
  PreparedTurn,
  | "turn"
  | "facts"
  | "agent"
  | "model"
  | "fallbacks"
  | "system"
  | "tools"
  | "settings"
  | "isThinkingAsked"
  | "areThoughtsAsked"
  | "reasoning"
  | "verbose"
> {
  const context = { ...found, ...directives };
  const { agent, model } = context;
  const available = new Map(
    agent.tools({ model: model.client.info, fallbacks: context.fallbacks, group: context.group }).map((tool) => [tool.name, tool]),
  );
  return {
    turn,
    agent,
    model,
    fallbacks: context.fallbacks,
    isThinkingAsked: directives.thinking !== undefined,
    areThoughtsAsked: directives.reasoning !== undefined && directives.reasoning !== "off",
    reasoning: context.reasoning,
    verbose: context.verbose,
    settings: {
      cacheKey: turn.sessionId,
      cacheRetention: agent.cacheRetention(model.reference),
      ...withoutUndefined({ thinking: context.thinking }),
      ...(context.reasoning === "off" && !inputs.some(({ admission }) => admission.showThoughts === true) ? {} : { showThoughts: true }),
    },
    system: prompt.system,
    tools: prompt.tools.map((schema) => ({ ...(available.get(schema.name) ?? withdrawn(schema.name)), ...schema })),
    facts,
  };
}

/** The tools block is fixed for the session: a tool that has gone since answers with an error. */
function withdrawn(name: string): AgentTool {
  return {
    name,
    summary: "",
    description: "",
    parameters: {},
    traits: { effect: "read", idempotent: true, output: "trusted", network: false, parallel: true },
    execute: async () => ({
      content: [{ type: "text", text: withdrawnText(name) }],
      isError: true,
    }),
  };
}
