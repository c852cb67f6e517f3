import type { Logger, Random, Clock, AgentMessage, SkillUse } from "@factotum/agent-contract";
import type {
  InboxStore,
  InputRecord,
  LedgerStore,
  OptimisticWrites,
  PromptRecord,
  TranscriptStore,
  TurnRecord,
  TurnStore,
} from "@factotum/store";
import { opensFiles, viewHistory } from "@factotum/agent-core";
import type { HistoryView } from "@factotum/agent-core";
import type { EditorLinks } from "../editors/editor-links.ts";
import type { MediaStage } from "../media/media-stage.ts";
import type { SessionCache } from "../context/session-cache.ts";
import { isElevatedRun } from "../conversation/elevation.ts";
import type { Conversations } from "../conversation/conversations.ts";
import type { HookRunner } from "../hooks/hook-runner.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { closeClientCalls, withLateResults } from "../messages/client-results.ts";
import { longTextTokens, shortenMessages } from "../messages/long-message.ts";
import type { CompactionTriggers } from "../compaction/compaction-triggers.ts";
import { givenTo, hasMark, isHistoryTainted } from "../taint/taint.ts";
import { withCurrentAuthorization } from "../conversation/current-authorization.ts";
import { readShownHistory } from "../prompt/rerender-history.ts";
import { parsePromptCommand } from "../prompt/prompt-command-text.ts";
import type { PromptRequest, PromptResolver } from "../prompt/prompt-resolver.ts";
import { ShownGroups } from "../prompt/shown-groups.ts";
import { runFacts } from "../prompt/run-facts.ts";
import type { TurnMessages } from "../messages/turn-messages.ts";
import { isPrivateTurn, type SessionContext } from "../conversation/session-context.ts";
import { startTurn } from "../queue/optimistic-commits.ts";
import { inputsOf, leadInput, skillsOf } from "../queue/turn-job.ts";
import type { InputJob } from "../queue/turn-job.ts";
import type { PendingEvents } from "../queue/pending-events.ts";
import { raceAbort } from "../kernel/race-abort.ts";
import { assemblePrepared, createNewTurn, identifyTurn, keptFacts, viewOptions } from "./prepared-turn.ts";
import type { PreparedTurn, TurnIdentity } from "./prepared-turn.ts";
import { readInputs } from "../queue/asking-turn.ts";
import { readTurnMessages } from "./stored-turn.ts";

/** The path of a skill's file, with the name of its folder. */
const SKILL_FILE = /([^/]+)\/SKILL\.md$/;

/** Dependencies of the turn preparer. */
export interface TurnPreparerOptions {
  readonly store: InboxStore & LedgerStore & OptimisticWrites & TranscriptStore & TurnStore;
  readonly running: RunningConfig;
  readonly conversations: Conversations;
  readonly compaction: CompactionTriggers;
  readonly prompts: PromptResolver;
  readonly editors: Pick<EditorLinks, "endPrivacy" | "toolsOf">;
  readonly messages: TurnMessages;
  readonly cache: SessionCache;
  readonly media: MediaStage;
  readonly pendingEvents: PendingEvents;
  readonly skillUse: SkillUse;
  readonly hooks: HookRunner;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
}

/** The session of a turn, and what was said in it before. */
interface TurnHistory {
  readonly sessionKey: string;
  readonly history: readonly AgentMessage[];
  readonly nowMs: number;
}

/** Prepares turns from inputs, and from turns that the last process left. */
export class TurnPreparer {
  readonly #options: TurnPreparerOptions;
  readonly #groups = new ShownGroups();

  constructor(options: TurnPreparerOptions) {
    this.#options = options;
  }

  /** Prepares a turn from inputs: session, prompt and user entries in one commit, which may still be pending. */
  async prepareInput(sessionKey: string, job: InputJob, { signal }: { readonly signal: AbortSignal }): Promise<PreparedTurn> {
    const { store, clock, conversations, compaction, prompts, messages, cache, running } = this.#options;
    const { message, admission } = leadInput(job);
    const bound = { signal, clock };
    const isBranch = await conversations.beginBranch(sessionKey, job);
    const found = await raceAbort(conversations.readContext(sessionKey, job.agentId, message.origin, admission.job, leadInput(job)), bound);
    // Who edits a message of an old conversation continues it.
    const renewed = isBranch ? found : await conversations.resetIfStale(found, sessionKey, job);
    const { context, outcome: compacted } = await compaction.beforeTurn(renewed, { signal, incomingTokens: incomingTokens(job, renewed) });
    const run = identifyTurn(job, sessionKey, context, this.#options, this.#options.pendingEvents.of(sessionKey));
    const prompt = await raceAbort(
      prompts.resolve({ ...run, ...requestFacts(admission), turnStartedAtMs: run.nowMs, signal }, context),
      bound,
    );
    const { messages: history, isReplaced, replacement } = await readShownHistory(prompt, context, { store, cache });
    const asked = job.directives?.elevated;
    const elevated = isElevatedRun({ inputs: inputsOf(job), record: context.record, asked }, running.config);
    const facts = await raceAbort(runFacts(run, context, running, { elevated, inputs: inputsOf(job) }), bound);
    this.#options.skillUse.invoked(facts, skillsOf(job));
    const given = { sessionKey, tools: prompt.record.tools, history, nowMs: run.nowMs };
    const { earlier, isAnswered } = await earlierMessages(leadInput(job), given, context, this.#options.media);
    const begun = withoutResults(job, isAnswered);
    const users =
      begun === undefined
        ? []
        : await raceAbort(
            messages.begin(
              begun,
              { ...run, facts, history, showsGroup: this.#groups.shows(context.sessionId, message), signal },
              prompt,
              context,
            ),
            bound,
          );
    const newTurn = createNewTurn(
      job,
      run,
      { replacement, messages: [...earlier, ...users], ...(prompt.isNew ? { prompt: prompt.record } : {}) },
      context,
    );
    const { result: started, committed } = await startTurn(newTurn, job, store);
    if (!started.session.isPrivate) this.#options.editors.endPrivacy(sessionKey);
    if (context.record === undefined) cache.set(context.sessionId, []);
    if (context.record === undefined || (prompt.isNew && prompt.record.cause === "new-session" && history.length === 0)) {
      const place = { agentId: facts.agentId, sessionKey, owner: facts.owner, sessionId: context.sessionId };
      this.#options.hooks.observe("session_start", () => place);
    }
    cache.setPrompt(context.sessionId, prompt.record);
    cache.append(context.sessionId, started.entries);
    const view = viewOptions(prompt, message.origin, context);
    const shown = withBreaks(viewHistory([...history, ...earlier], users[0], view), [
      ...(isReplaced ? (["quarantine"] as const) : []),
      ...(isBranch ? (["edited"] as const) : []),
    ]);
    logBreaks(sessionKey, shown, this.#options.logger);
    return {
      ...assemblePrepared(started.turn, context, prompt.record, {
        inputs: inputsOf(job),
        added: this.#options.editors.toolsOf(sessionKey)?.sources,
        history: [...shown.messages, ...users.slice(0, -1)],
        ...(job.directives !== undefined ? { directives: job.directives } : {}),
      }),
      facts,
      beginning: {
        type: "new",
        committed: this.#settleStart(committed, job, run),
        entries: started.entries,
        prompt: users.at(-1),
      },
      compacted,
      kept: { ...keptFacts(prompt, view, shown), sentBefore: 0, lastEntryId: started.entries.at(-1)?.id ?? "" },
      tainted: hasMark(users) || (await isHistoryTainted(shown.messages, context.record, { store, model: context.model.client.info })),
    };
  }

  /** Prepares a turn that the last process left: with the stored prompt, and the transcript up to the last commit. */
  async prepareResumed(begun: TurnRecord, options: { readonly signal: AbortSignal }): Promise<PreparedTurn> {
    const { store, clock, conversations, prompts, cache, running } = this.#options;
    const { signal } = options;
    const inputs = await readInputs(begun, store);
    const turn = withCurrentAuthorization(begun, inputs, running.config);
    const bound = { signal, clock };
    const context = await raceAbort(
      conversations.readContext(turn.sessionKey, turn.agentId, turn.origin, inputs[0]?.admission.job, inputs[0]),
      bound,
    );
    if (context.record === undefined) throw new Error(`the session ${turn.sessionKey} of an open turn is not there`);
    const prompt = await raceAbort(
      prompts.resolve(
        {
          sessionKey: turn.sessionKey,
          kind: inputs[0]?.admission.subagent === undefined ? turn.kind : "subagent",
          extra: undefined,
          clientTools: inputs[0]?.admission.clientTools,
          job: inputs[0]?.admission.job,
          isPrivate: isPrivateTurn(context, turn.owner),
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
    const shown = withBreaks(viewHistory(history, undefined, view), isReplaced ? ["quarantine"] : []);
    logBreaks(turn.sessionKey, shown, this.#options.logger);
    const elevated = isElevatedRun({ inputs, record: context.record }, running.config);
    const facts = await raceAbort(runFacts(turn, context, running, { elevated, inputs }), bound);
    this.#options.skillUse.invoked(facts, usedSkills(inputs, own));
    return {
      ...assemblePrepared(turn, context, prompt.record, {
        inputs,
        history: shown.messages,
        added: this.#options.editors.toolsOf(turn.sessionKey)?.sources,
      }),
      facts,
      beginning: { type: "resumed", own },
      compacted: { type: "nothing" },
      kept: {
        ...keptFacts(prompt, view, shown),
        // A crash loses request rows but not the answers.
        sentBefore: Math.max(sent.items[0]?.number ?? 0, own.filter(({ role }) => role === "assistant").length),
        lastEntryId: newest.items[0]?.id ?? "",
      },
      // A former owner's text was stored unmarked.
      tainted:
        begun.owner !== turn.owner ||
        hasMark(givenTo(context.model.client.info, own)) ||
        (await isHistoryTainted(shown.messages, context.record, { store, model: context.model.client.info })),
    };
  }

  /** After the commit the cache entry is valid, events count as shown and uploads can be released; if the commit fails the entry is dropped. */
  async #settleStart(committed: Promise<void>, job: InputJob, { sessionKey, sessionId, events }: TurnIdentity): Promise<void> {
    try {
      await committed;
    } catch (error) {
      this.#options.cache.drop(sessionId);
      throw error;
    }
    this.#options.pendingEvents.remove(sessionKey, events);
    for (const input of inputsOf(job)) await this.#options.media.release(input.message);
  }
}

/** What a client's request adds to its session's prompt. */
function requestFacts({
  extra,
  clientTools,
  job,
  kind,
  subagent,
  fork,
}: InputRecord["admission"]): Pick<PromptRequest, "extra" | "clientTools" | "job" | "kind" | "fork"> {
  // Who speaks with a sub-agent does not change its prompt.
  return { extra, clientTools, job, fork, kind: subagent === undefined ? kind : "subagent" };
}

/** The job of the messages after the results of a client's calls; `undefined` if there are only results. */
function withoutResults(job: InputJob, isAnswered: boolean): InputJob | undefined {
  const [{ input, ...gathered }, ...more] = job.messages;
  const { message, admission } = input;
  if (admission.clientResults === undefined || message.text !== "" || message.attachments.length > 0) return job;
  if (isAnswered) return undefined;
  return { ...job, messages: [{ ...gathered, input: withLateResults(input) }, ...more] };
}

function incomingTokens(job: InputJob, { model }: SessionContext): number {
  const texts = job.messages.flatMap(({ input: { message, admission } }) => [
    message.text,
    ...(admission.clientResults ?? []).map(({ text }) => text),
  ]);
  return longTextTokens(texts, model.client.info.contextWindow);
}

/** What a turn adds to the history before its own messages: those of the client's request, in a new session, and the results of the client's calls. */
interface EarlierMessages {
  readonly earlier: readonly AgentMessage[];
  /** A call has the result that the client sent. */
  readonly isAnswered: boolean;
}

async function earlierMessages(
  { admission }: InputRecord,
  { sessionKey, tools, history, nowMs }: Pick<PromptRecord, "tools"> & TurnHistory,
  { record, sessionId, model }: SessionContext,
  media: MediaStage,
): Promise<EarlierMessages> {
  const sent = record === undefined ? (admission.history ?? []) : [];
  const results = closeClientCalls([...history, ...sent], admission.clientResults ?? [], nowMs);
  const place = { sessionId, sessionKey, untrusted: !admission.owner };
  const store = opensFiles(tools, admission) ? media.store : undefined;
  const earlier = await shortenMessages([...sent, ...results], model.client.info.contextWindow, place, store);
  return { earlier, isAnswered: results.some(({ isError }) => !isError) };
}

/** The skills that a turn used before it was interrupted: those of its slash commands, and those whose file it has read. */
function usedSkills(inputs: readonly InputRecord[], own: readonly AgentMessage[]): readonly string[] {
  const calls = own.flatMap((message) =>
    message.role === "assistant" ? message.content.filter((block) => block.type === "toolCall") : [],
  );
  return [
    ...inputs.flatMap(({ message }) => parsePromptCommand(message.text)?.name ?? []),
    ...calls.flatMap(({ name, arguments: { path } }) =>
      name === "read" && typeof path === "string" ? (SKILL_FILE.exec(path)?.[1] ?? []) : [],
    ),
  ];
}

function withBreaks(view: HistoryView, breaks: HistoryView["breaks"]): HistoryView {
  return breaks.length > 0 ? { ...view, breaks: [...view.breaks, ...breaks] } : view;
}

function logBreaks(sessionKey: string, { breaks }: HistoryView, logger: Logger): void {
  for (const cause of breaks) logger.info("Prompt break", { sessionKey, cause });
}
