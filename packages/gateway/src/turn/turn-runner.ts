import type { LocalFiles } from "../media/local-files.ts";
import type { ApprovalService } from "../approvals/approval-service.ts";
import type { Questions } from "../approvals/questions.ts";
import type { ToolGate } from "../access/tool-gate.ts";
import type { TurnContext } from "../observe/turn-context.ts";
import type { TypingIndicator } from "../delivery/typing-indicator.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { contextBudget, opensFiles, runAgent } from "@factotum/agent-core";
import { joinUsage, NO_USAGE_TOTALS, withoutUndefined } from "@factotum/agent-contract";
import type { AgentEvent, RunOutcome, ToolCall } from "@factotum/agent-contract";
import { backoffDelay } from "@factotum/channel-kit";
import type { TranscriptBody } from "@factotum/store";
import { MessageDigests } from "../requests/message-digests.ts";
import { OUTER_PLACE } from "../queue/lane-place.ts";
import type { LanePlace } from "../queue/lane-place.ts";
import { LaneAbort, LaneShutdown, LaneYield } from "../kernel/lane-abort.ts";
import type { LaneOptions } from "../queue/session-lanes.ts";
import type { ToolLimits } from "../queue/tool-limits.ts";
import type { SessionWaits } from "../notices/session-waits.ts";
import { RunDeadline } from "../queue/run-deadline.ts";
import type { StreamedReply } from "../delivery/streaming/reply-stream.ts";
import type { TurnConcluder } from "./turn-concluder.ts";
import type { RunResults, TurnEnding } from "./turn-conclusion.ts";
import { ackMaxCharsOf } from "../preparation/prepared-turn.ts";
import type { PreparedTurn } from "../preparation/prepared-turn.ts";
import { FIRST_TRY, RequestRepair } from "../run/request-repair.ts";
import type { RequestRepairOptions, RetryState } from "../run/request-repair.ts";
import { windowBudget } from "../compaction/context-size.ts";
import { leftOutNotice } from "../compaction/compaction-outcome.ts";
import { longTextNotice } from "../messages/long-message.ts";
import { beginMemoryFlush } from "../compaction/memory-flush.ts";
import type { FlushMemory } from "../compaction/memory-flush.ts";
import { isFinalStoreError } from "../storage/is-final-store-error.ts";
import { currentFacts } from "../conversation/current-authorization.ts";
import { modelCause } from "../run/model-cause.ts";
import { createRunModel, thinkingTranscriptNotice, thinkingReplyNotice, thoughtsReplyNotice } from "../run/run-model.ts";
import type { RunModelOptions } from "../run/run-model.ts";
import { runMeans } from "../run/run-means.ts";
import type { RunMeansParts } from "../run/run-means.ts";
import { deferredClient } from "../run/deferred-client.ts";
import { resumeRun } from "../run/resume-calls.ts";
import { versionsWith } from "../delivery/entry-versions.ts";
import { publishEntry } from "../delivery/publish-entry.ts";
import { askingRun } from "./asking-run.ts";
import { decideCalls } from "./decide-call.ts";
import type { DecideCallOptions } from "./decide-call.ts";
import { JobPreparer } from "./job-preparer.ts";
import type { JobPreparerOptions } from "./job-preparer.ts";
import { TurnRecorder } from "../run/turn-recorder.ts";
import type { TurnRecorderOptions } from "../run/turn-recorder.ts";
import { isCommitted, hasFailedCommit } from "../queue/optimistic-commits.ts";
import { inputsOf, leadInput } from "../queue/turn-job.ts";
import type { InputJob, ResumeJob, TurnJob } from "../queue/turn-job.ts";
import { TurnSteering } from "../run/turn-steering.ts";
import type { TurnSteeringOptions } from "../run/turn-steering.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

/** Commit that a run waits for, and the signal that aborts it. */
interface RunBounds {
  /** Resolves once the turn is committed and shown. */
  readonly begun: Promise<void>;
  readonly signal: AbortSignal;
  readonly laneSignal: AbortSignal;
  readonly deadline: RunDeadline;
  readonly place: LanePlace;
}

/** What handlers of hooks get of a text. */
const MAX_HOOK_TEXT_CHARS = 16_000;

type RunEnd = Extract<AgentEvent, { type: "run-end" }>;

const NO_OUTCOME: RunOutcome = { type: "failed", code: "internal", message: "the run ended without an outcome" };

/** Dependencies of the turn runner, and of what it creates for each turn. */
export interface TurnRunnerOptions
  extends
    JobPreparerOptions,
    TurnRecorderOptions,
    TurnSteeringOptions,
    RunModelOptions,
    RunMeansParts,
    RequestRepairOptions,
    DecideCallOptions {
  readonly store: JobPreparerOptions["store"] & TurnRecorderOptions["store"] & TurnSteeringOptions["store"];
  readonly running: RunningConfig;
  readonly concluder: TurnConcluder;
  readonly typing: TypingIndicator;
  readonly turnContext: TurnContext;
  readonly toolLimits: ToolLimits;
  /** Observes when a tool call starts or stops waiting for a free place. */
  readonly waits: SessionWaits;
  readonly toolGate: ToolGate;
  readonly approvals: ApprovalService;
  readonly questions: Questions;
  readonly files: LocalFiles;
}

/** Runs turns: prepares, drives the loop, commits completed items, and concludes each turn exactly once. */
export class TurnRunner {
  readonly #options: TurnRunnerOptions;
  readonly #preparer: JobPreparer;
  readonly #repair: RequestRepair;
  readonly #digests = new MessageDigests();

  constructor(options: TurnRunnerOptions) {
    this.#options = options;
    this.#preparer = new JobPreparer(options);
    this.#repair = new RequestRepair(options);
  }

  /**
   * Runs one job to its end. Rejects when the store does. The started turn is then requeued ahead of everything else in its session, with a delay, until it
   * succeeds: a later turn must not end before it.
   */
  readonly run = async (sessionKey: string, job: TurnJob, options: LaneOptions): Promise<void> => {
    if (job.type === "task") return job.run(options);
    const ids =
      job.type === "resume" ? { turnId: job.turn.id, inputIds: job.turn.inputIds } : { inputIds: inputsOf(job).map(({ id }) => id) };
    let prepared: PreparedTurn | undefined;
    await this.#options.turnContext.run(ids, async () => {
      try {
        const left = job.failures === undefined ? job : await this.#leftBy(sessionKey, job);
        if (this.#isTranscribed(job)) options.place.leave();
        prepared = left === undefined ? undefined : await this.#preparer.prepare(sessionKey, left, options.signal);
        if (prepared !== undefined) await this.#runPrepared(prepared, options);
      } catch (error) {
        if (hasFailedCommit(job)) return;
        const isSolo = job.type === "resume" && job.isSolo === true ? { isSolo: true } : {};
        const begun =
          prepared !== undefined && (await isOnDisk(prepared)) ? ({ type: "resume", turn: prepared.turn, ...isSolo } as const) : job;
        if (!isFinalStoreError(error)) this.#requeue(sessionKey, { ...begun, failures: (job.failures ?? 0) + 1 });
        throw error;
      }
    });
  };

  /** A slow transcription must not hold up other conversations. The first request of the turn takes a place again. */
  #isTranscribed(job: InputJob | ResumeJob): boolean {
    if (job.type === "resume" || this.#options.running.config.models.transcription === undefined) return false;
    return inputsOf(job).some(({ message }) => message.attachments.some(({ kind }) => kind === "audio"));
  }

  /** What to requeue of a failed job: the job, the turn that has its message, or nothing. */
  async #leftBy(sessionKey: string, job: InputJob | ResumeJob): Promise<InputJob | ResumeJob | undefined> {
    const { store } = this.#options;
    if (job.type === "resume" || (await store.readInput(leadInput(job).id))?.state.type === "waiting") return job;
    const session = await store.readSession(sessionKey);
    const last = session === undefined ? undefined : await store.readLastTurn(session.sessionId, { except: [] });
    const turn = last?.state === "running" ? await store.readTurn(last.id) : undefined;
    return turn === undefined ? undefined : { type: "resume", turn, failures: job.failures ?? 0 };
  }

  #requeue(sessionKey: string, job: InputJob | ResumeJob): void {
    const delayMs = backoffDelay((job.failures ?? 1) - 1, { baseMs: 250, maxMs: 60_000, random: this.#options.random });
    this.#options.queue.again(sessionKey, job, delayMs);
  }

  /**
   * Runs the memory flush: a hidden turn in which the agent writes its notes. Call it in the session's lane. Resolves however the turn ends; rejects only when
   * the store does, and then requeues the turn.
   */
  readonly flushMemory: FlushMemory = async (context, { signal }) => {
    const { record } = context;
    if (record?.lastOrigin === undefined) return;
    const { turn, entries } = await beginMemoryFlush(context, record.lastOrigin, this.#options);
    this.#options.cache.append(turn.sessionId, entries);
    for (const entry of entries) publishEntry(this.#options, turn.sessionKey, entry, undefined);
    try {
      const prepared = await this.#preparer.prepare(turn.sessionKey, { type: "resume", turn, isCounted: true }, signal);
      if (prepared !== undefined) await this.#runPrepared(prepared, { signal, place: OUTER_PLACE });
    } catch (error) {
      if (!isFinalStoreError(error)) this.#requeue(turn.sessionKey, { type: "resume", turn, failures: 1 });
      throw error;
    }
  };

  async #runPrepared(prepared: PreparedTurn, { signal: laneSignal, place }: LaneOptions): Promise<void> {
    const { agent, turn } = prepared;
    const { clock, observer } = this.#options;
    using _observed = observer.turnStarted(turn);
    const timeoutMs = agent.config.timeoutSeconds * 1000;
    const bounds = [timeoutMs, RUN_POLICY[turn.kind].maxMs ?? timeoutMs, prepared.inputs[0]?.admission.job?.timeoutMs ?? timeoutMs];
    using deadline = new RunDeadline(Math.min(...bounds), { clock, outer: laneSignal });
    const ids = { turnId: turn.id, inputIds: turn.inputIds };
    await this.#options.turnContext.run(ids, async () => {
      const begun = this.#showBeginning(prepared);
      // Nothing runs for a turn whose commit failed, however long the model takes.
      begun.catch((error: unknown) => deadline.end(error));
      await this.#drive(prepared, { begun, signal: deadline.signal, laneSignal, deadline, place });
    });
  }

  /** Shows a turn to its watchers once it is committed. */
  async #showBeginning({ turn, beginning, inputs }: PreparedTurn): Promise<void> {
    const { events, store, typing, watchers } = this.#options;
    if (beginning.type === "new") await beginning.committed;
    this.#options.crashPoint?.("after-claim");
    if (RUN_POLICY[turn.kind].isFromPerson && turn.origin.conversation.kind === "direct") typing.begin(turn.sessionKey, turn.origin);
    watchers.claimed(turn.inputIds, turn.id);
    if (RUN_POLICY[turn.kind].reply === "unless-heartbeat-ok") events.hold(turn.id);
    const versions = await versionsWith(inputs, turn.sessionId, store);
    if (beginning.type === "new")
      for (const entry of beginning.entries) publishEntry(this.#options, turn.sessionKey, entry, undefined, versions);
    events.publish(turn.sessionKey, { type: "run-start", runId: turn.id, startedAtMs: turn.startedAtMs });
  }

  async #drive(prepared: PreparedTurn, bounds: RunBounds, before: RetryState = FIRST_TRY): Promise<void> {
    const { turn, facts, model, beginning, request } = prepared;
    const { begun, signal, laneSignal, deadline, place } = bounds;
    const { store, clock, toolLimits, waits } = this.#options;
    const sentBefore = Math.max(prepared.kept.sentBefore, before.requests);
    const withdrawText = (): boolean => recorder.withdrawText();
    const kept = { ...prepared.kept, sentBefore, digests: this.#digests, place, withdrawText };
    const { models, tools, limits } = runMeans(prepared, begun, this.#options);
    const runModel = createRunModel(models, modelCause(prepared, this.#options.subagents.book), this.#options, kept);
    const { requests } = runModel;
    const client = deferredClient(runModel.client, request);
    const resumed = beginning.type === "resumed" ? resumeRun(request.history, await store.readJournal(turn.id), client) : undefined;
    // It resumes with the tools of a stored answer.
    if (resumed?.answer !== undefined) place.leave();
    const steering = new TurnSteering(prepared, this.#options, { resumed, signal });
    const recorder: TurnRecorder = new TurnRecorder(prepared, this.#options, { resumed, requests, steering, begun, signal });
    const asking = askingRun(turn, { steering, recorder, signal, deadline });
    using _asking = this.#options.questions.serve(asking);
    const run = runAgent(
      {
        facts,
        model: resumed?.model ?? client,
        system: request.system,
        messages: resumed?.messages ?? request.history,
        prompt: beginning.type === "new" ? beginning.prompt : undefined,
        tools: toolLimits.apply(tools, turn.sessionKey, () => waits.turnChanged(turn)),
        deferred: toolLimits.apply(request.deferred, turn.sessionKey, () => waits.turnChanged(turn)),
        clientTools: request.clientTools,
        ...withoutUndefined({ knownResults: resumed?.knownResults }),
        steering,
        beforeTool: decideCalls(prepared, { steering, asking }, this.#options),
        settings: request.settings,
        tainted: prepared.tainted,
        now: () => clock.now(),
      },
      { signal, limits, maxToolResultChars: contextBudget({ window: model.client.info.contextWindow }).maxToolResultChars },
    );
    const end = await follow(run, recorder, steering, (event) => this.#observeTool(prepared, event));
    await recorder.settle();
    const streamed = await recorder.finishStream();
    const ended = { ...prepared, turn: { ...turn, inputIds: steering.inputIds }, inputs: steering.said };
    const tried = { ...before, requests: requests.count, usage: joinUsage(before.usage, end?.usage ?? NO_USAGE_TOTALS) };
    const repaired = await this.#repair.repair(ended, recorder, end?.outcome ?? NO_OUTCOME, tried, bounds);
    if (repaired.type === "again") return this.#drive(repaired.prepared, bounds, repaired.tried);
    const { outcome } = repaired;
    if (laneSignal.reason instanceof LaneShutdown && outcome.type === "aborted") {
      // The turn stays open: completed items are stored, and the next start resumes it.
      await recorder.flushOpen();
      await store.releaseAttempt(turn.id);
      return;
    }
    // A guess that did not help is undone and not reported.
    const undo = outcome.type === "failed" && outcome.code === "invalid-request" ? tried.leftOut?.undo : undefined;
    const yields = laneSignal.reason instanceof LaneYield && outcome.type === "aborted";
    const isStoppedByOther = laneSignal.reason instanceof LaneAbort && laneSignal.reason.notifiesSender;
    await this.#close(ended, recorder, deadlineOutcome(outcome, signal), {
      ending: { type: yields ? "yielded" : isStoppedByOther ? "stopped-by-other" : "plain" },
      usage: tried.usage,
      replyNotices: [
        thinkingReplyNotice(prepared),
        thoughtsReplyNotice(prepared),
        runModel.switchNotice(request.history),
        undo === undefined ? tried.leftOut?.notice : undefined,
        longTextNotice(inputTexts(ended), { window: model.client.info.contextWindow, isKept: opensFiles(request.tools, facts) }),
      ].flatMap((text) => text ?? []),
      storedReplyNotices: [leftOutNotice(prepared.compacted)].flatMap((text) => text ?? []),
      undo,
      streamed,
      signal,
    });
    // A call that waits for its client must not be summarised.
    if (RUN_POLICY[turn.kind].compacts && clientCallsOf(outcome).length === 0)
      this.#options.compaction.afterTurn(turn, { budget: windowBudget(prepared), usage: tried.usage, flushMemory: this.flushMemory });
    const authProfile = runModel.changedProfile();
    if (authProfile !== undefined) await store.patchSession(turn.sessionKey, { overrides: { authProfile } }, { nowMs: clock.now() });
  }

  #observeTool({ turn, facts }: PreparedTurn, { call, result }: Extract<AgentEvent, { type: "tool-end" }>): void {
    this.#options.hooks.observe("after_tool_call", () => ({
      agentId: turn.agentId,
      sessionKey: turn.sessionKey,
      owner: facts.owner,
      callId: call.id,
      tool: call.name,
      arguments: call.arguments,
      isError: result.isError,
      text: result.content
        .map((part) => (part.type === "text" ? part.text : ""))
        .join("\n")
        .slice(0, MAX_HOOK_TEXT_CHARS),
    }));
  }

  async #close(
    prepared: PreparedTurn,
    recorder: TurnRecorder,
    outcome: RunOutcome,
    {
      undo,
      ending,
      streamed,
      ...results
    }: Pick<RunResults, "usage" | "replyNotices" | "storedReplyNotices" | "signal"> & {
      readonly ending: TurnEnding;
      readonly streamed: StreamedReply | undefined;
      readonly undo: TranscriptBody | undefined;
    },
  ): Promise<void> {
    await this.#options.concluder.conclude({
      turn: prepared.turn,
      outcome,
      ending,
      streamed,
      results: {
        ...results,
        transcriptNotice: thinkingTranscriptNotice(prepared),
        entries: [...recorder.takePending(), ...(undo === undefined ? [] : [undo])],
        requests: recorder.takeRequests(),
        sentTexts: recorder.sentTexts,
        isKnownMessage: async (id) => recorder.isKnownMessage(id),
        facts: currentFacts(prepared.facts, prepared.inputs, this.#options.running.config),
        tainted: recorder.tainted,
        earlierTexts: recorder.earlierTexts,
        thoughts: recorder.thoughts,
        shownThoughts: recorder.shownThoughts,
        lastText: recorder.lastText,
        model: prepared.model.reference,
        ackMaxChars: ackMaxCharsOf(prepared),
      },
    });
  }
}

async function isOnDisk({ beginning }: PreparedTurn): Promise<boolean> {
  if (beginning.type === "resumed") return true;
  return isCommitted(beginning.committed);
}

/** Records the events of a run; resolves to its last one. */
async function follow(
  run: AsyncIterable<AgentEvent>,
  recorder: TurnRecorder,
  steering: TurnSteering,
  onToolEnd: (event: Extract<AgentEvent, { type: "tool-end" }>) => void,
): Promise<RunEnd | undefined> {
  let end: RunEnd | undefined;
  try {
    for await (const event of run) {
      if (event.type === "run-end") end = event;
      else await recorder.record(event);
      if (event.type === "tool-end") onToolEnd(event);
    }
  } catch (error) {
    steering.requeue();
    throw error;
  }
  return end;
}

function clientCallsOf(outcome: RunOutcome): readonly ToolCall[] {
  return outcome.type === "done" ? (outcome.clientCalls ?? []) : [];
}

function inputTexts({ inputs }: Pick<PreparedTurn, "inputs">): readonly string[] {
  return inputs.map(({ message }) => message.text);
}

function deadlineOutcome(outcome: RunOutcome, signal: AbortSignal): RunOutcome {
  if (outcome.type !== "aborted" || !RunDeadline.caused(signal)) return outcome;
  return { type: "failed", code: "timeout", message: "the run took longer than timeoutSeconds allows" };
}
