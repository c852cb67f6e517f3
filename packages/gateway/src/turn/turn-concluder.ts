import { NO_USAGE_TOTALS, withoutUndefined } from "@factotum/agent-contract";
import type { Logger, Clock, RunOutcome, StopReason } from "@factotum/agent-contract";
import type { Origin } from "@factotum/channel-contract";
import type { InboxStore, NewOutbound, SessionStore, TranscriptBody, TranscriptStore, TurnStore } from "@factotum/store";
import { sentAlert, withoutRepeatedAlert } from "./repeated-alert.ts";
import { sentPart } from "./sent-part.ts";
import { announcementOf } from "./announcement.ts";
import type { CrashPointHook } from "../kernel/crash-point.ts";
import type { RemoteFiles } from "../media/remote-files.ts";
import type { LocalFiles } from "../media/local-files.ts";
import type { MediaStage } from "../media/media-stage.ts";
import type { ToolGate } from "../access/tool-gate.ts";
import type { StorageGuard } from "../storage/storage-guard.ts";
import type { FailedRuns } from "../observe/failed-runs.ts";
import type { Observer } from "../observe/observer.ts";
import type { InputWatchers } from "../queue/run-report.ts";
import type { SessionCache } from "../context/session-cache.ts";
import type { SessionEvents } from "../events/session-events.ts";
import type { Dispatcher } from "../delivery/dispatcher.ts";
import type { ChannelRegistry } from "../channels/channel-registry.ts";
import type { RunningConfig } from "../agents/running-config.ts";
import { NO_MEDIA, planMedia } from "../delivery/plan-media.ts";
import { planSpeech } from "../delivery/plan-speech.ts";
import type { PlannedSpeech } from "../delivery/plan-speech.ts";
import { withCaption } from "../delivery/with-caption.ts";
import type { PlannedMedia } from "../delivery/plan-media.ts";
import { planRemoval, planReply } from "../delivery/plan-reply.ts";
import type { ReplyTarget } from "../delivery/reply-parser.ts";
import { knownTarget } from "../delivery/reply-to.ts";
import { isSuppressed } from "../delivery/is-suppressed.ts";
import { planChatMessage } from "../delivery/plan-message.ts";
import { planThoughts } from "../delivery/plan-thoughts.ts";
import { LaneAbort } from "../kernel/lane-abort.ts";
import type { SessionSubagents } from "../subagents/session-subagents.ts";
import type { SubagentRunEnd } from "../subagents/spawn-ends.ts";
import type { HookRunner } from "../hooks/hook-runner.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { isTaintBinding } from "../taint/taint.ts";
import { failureText, ownerFailureText } from "../notices/failure-text.ts";
import { decideConclusion, isSaid, mediaOf, withAnswerOrFailure, withCutNotice } from "./turn-conclusion.ts";
import type { FailureTexts, FinishedTurn, TurnConclusion } from "./turn-conclusion.ts";
import { isOwnerChat } from "../preparation/owner-chat.ts";
import { RunDeadline } from "../queue/run-deadline.ts";
import { publishEntry } from "../delivery/publish-entry.ts";

/** Maximum milliseconds to fetch the files of a reply. */
const MEDIA_TIMEOUT_MS = 90_000;

/** What handlers of hooks get of an answer. */
const MAX_HOOK_TEXT_CHARS = 16_000;

/** Dependencies of the turn concluder. */
export interface TurnConcluderOptions {
  readonly store: InboxStore & SessionStore & TurnStore & Pick<TranscriptStore, "findNotice">;
  readonly running: RunningConfig;
  readonly channels: ChannelRegistry;
  readonly dispatcher: Dispatcher;
  readonly events: SessionEvents;
  readonly cache: SessionCache;
  readonly watchers: InputWatchers;
  readonly observer: Observer;
  readonly failedRuns: FailedRuns;
  readonly storage: StorageGuard;
  readonly toolGate: ToolGate;
  readonly media: MediaStage;
  readonly files: LocalFiles;
  readonly remoteFiles: RemoteFiles;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly hideSecrets: (text: string) => string;
  readonly hooks: HookRunner;
  readonly subagents: Pick<SessionSubagents, "endOfTurn" | "forget" | "onEnded" | "onFollowUp" | "onStarted" | "take" | "threadOf">;
  readonly crashPoint?: CrashPointHook | undefined;
}

/** Concludes turns: decides what is sent, and commits it. */
export class TurnConcluder {
  readonly #options: TurnConcluderOptions;

  constructor(options: TurnConcluderOptions) {
    this.#options = options;
  }

  /** The final commit: last entries, outbox, usage and inputs in one transaction; then clients and watchers are notified. */
  async conclude(finished: FinishedTurn): Promise<void> {
    const run = withCutNotice(withAnswerOrFailure(finished));
    const { turn, results } = run;
    const { store, clock, events, dispatcher, channels, subagents } = this.#options;
    const nowMs = clock.now();
    const suppressed = await isSuppressed(turn, this.#options);
    const texts = await this.#failureTexts(run);
    const closing = await withoutRepeatedAlert(turn, decideConclusion(run, texts), { store, nowMs });
    const sent = await sentPart(turn, closing, store);
    const media = await this.#planFiles(run, sent, { nowMs, suppressed });
    const reason: unknown = results?.signal.reason;
    const speech = await this.#planSpeech(run, sent, { nowMs, suppressed });
    // A person stopped it while its files were fetched: the answer is not sent.
    if ((media !== NO_MEDIA || speech !== undefined) && reason instanceof LaneAbort)
      return this.conclude({
        ...run,
        outcome: { type: "aborted", reason: reason.message },
        ending: { type: reason.notifiesSender ? "stopped-by-other" : "plain" },
      });
    const asked = await knownTarget(sent.say?.reply?.replyTo ?? { type: "none" }, results?.isKnownMessage ?? (async () => false));
    const thread = await subagents.threadOf(turn.sessionKey);
    const outbox = planRows(channels, run, { ...sent, media, speech, asked }, { nowMs, suppressed, thread });
    const tainted = results !== undefined && (await isTaintBinding(results.facts, results.tainted, this.#options));
    const announcement = await announcementOf(turn, { ...closing, tainted }, store);
    const isSilent = RUN_POLICY[turn.kind].reply === "unless-heartbeat-ok" && closing.inputState.type === "silent";
    const entries = [...(results?.entries ?? []), ...noticesOf(run, closing, media)];
    const spawns = subagents.take(turn.id, entries);
    const { end: spawnEnd, followUp } = await subagents.endOfTurn(turn, runEndOf(run));
    const ended = await store.endTurn({
      turnId: turn.id,
      state: run.outcome.type,
      ...(run.outcome.type === "failed" ? { failure: { code: run.outcome.code, message: run.outcome.message } } : {}),
      entries,
      outbox,
      spawns,
      ...withoutUndefined({ requests: results?.requests, announcement, heartbeat: sentAlert(turn, closing, nowMs), spawnEnd, followUp }),
      usage: results?.usage ?? NO_USAGE_TOTALS,
      ...(results?.tainted === false ? { untainted: true } : {}),
      ...(isSilent ? { isSilent } : {}),
      inputState: suppressed && isSaid(closing) ? { type: "suppressed" } : closing.inputState,
      ...(run.ending.type === "yielded" ? { forgetsMemoryFlush: true } : {}),
      // A person who answers after a long run was not idle.
      ...(RUN_POLICY[turn.kind].isFromPerson ? { interactedAtMs: nowMs } : {}),
      endedAtMs: nowMs,
    });
    this.#options.observer.turnEnded(turn, run.outcome.type);
    if (run.outcome.type === "done") this.#options.failedRuns.clear(turn.agentId);
    else if (run.outcome.type === "failed")
      this.#options.failedRuns.record({ ...turn, code: run.outcome.code, text: texts.owner, atMs: nowMs });
    this.#options.crashPoint?.("after-final-commit");
    subagents.forget(turn.id);
    await subagents.onStarted(spawns, ended.inputs, { isStopped: run.outcome.type === "aborted" });
    if (ended.followUp !== undefined) await subagents.onFollowUp(ended.followUp);
    subagents.onEnded(ended.ended);
    dispatcher.dispatch(ended.outbox);
    this.#options.cache.append(turn.sessionId, ended.entries);
    if (announcement !== undefined) this.#options.cache.forgetModelNotes(announcement.sessionId);
    for (const entry of ended.entries) publishEntry(this.#options, turn.sessionKey, entry, turn.id);
    await this.#publishAnnouncement(announcement);
    const message = run.outcome.type === "done" ? undefined : run.outcome.type === "aborted" ? run.outcome.reason : texts.owner;
    events.publish(turn.sessionKey, {
      type: "run-end",
      runId: turn.id,
      outcome: { type: run.outcome.type, ...withoutUndefined({ message }) },
    });
    events.release(turn.sessionKey, turn.id, { isSilent });
    this.#reportEnd(run, closing);
    this.#options.watchers.report(turn.inputIds, {
      runId: turn.id,
      sessionKey: turn.sessionKey,
      outcome: run.outcome,
      failureText: texts.owner,
      tainted: results?.tainted ?? true,
      text: closing.say?.purpose === "reply" ? closing.say.text : "",
      stopReason: stopReason(run.outcome),
      model: results?.model ?? "",
      usage: results?.usage ?? NO_USAGE_TOTALS,
      replyNotices: [...(results?.replyNotices ?? []), ...(results?.storedReplyNotices ?? [])],
      transcriptNotices: [...transcriptNoticesOf(run), ...media.failures],
      thoughts: results?.shownThoughts ?? "",
    });
  }

  /** For the watchers of the conversation that the answer was sent to. */
  async #publishAnnouncement(announcement: Awaited<ReturnType<typeof announcementOf>>): Promise<void> {
    const entry = announcement === undefined ? undefined : await this.#options.store.findNotice(announcement.body.key);
    if (announcement !== undefined && entry !== undefined) publishEntry(this.#options, announcement.sessionKey, entry, undefined);
  }

  /** For the log, and for the handlers of hooks. */
  #reportEnd({ turn, outcome }: FinishedTurn, { say }: TurnConclusion): void {
    const { id: runId, agentId, sessionKey, owner } = turn;
    const { hooks, logger } = this.#options;
    if (outcome.type === "failed") logger.warn("A run failed", { turnId: runId, sessionKey, code: outcome.code, detail: outcome.message });
    const text = (say?.text ?? "").slice(0, MAX_HOOK_TEXT_CHARS);
    hooks.observe("agent_end", () => ({ agentId, sessionKey, owner, runId, outcome: outcome.type, text }));
  }

  /** The owner's own chat gets the reason; any other reader gets a sentence without details of the installation. */
  async #failureTexts({ outcome, turn }: FinishedTurn): Promise<FailureTexts> {
    if (outcome.type !== "failed") return { chat: "", owner: "" };
    const owner = ownerFailureText(outcome, this.#options.hideSecrets);
    return { owner, chat: (await isOwnerChat(turn, this.#options)) ? owner : failureText(outcome) };
  }

  /** The answer as a recording, where the conversation wants it. */
  async #planSpeech(
    { turn, results, streamed }: FinishedTurn,
    { say }: TurnConclusion,
    options: { readonly nowMs: number; readonly suppressed: boolean },
  ): Promise<PlannedSpeech | undefined> {
    if (say?.reply === undefined || say.text === "" || results === undefined) return undefined;
    const { facts: run, signal } = results;
    const answer = { turn, text: say.text, isMarked: say.reply.isSpoken === true, isShown: isShown(streamed), run, signal };
    return planSpeech(answer, options, this.#options);
  }

  async #planFiles(
    run: FinishedTurn,
    { say }: TurnConclusion,
    options: { readonly nowMs: number; readonly suppressed: boolean },
  ): Promise<PlannedMedia> {
    if (say?.reply === undefined || run.results === undefined) return NO_MEDIA;
    const { turn, streamed } = run;
    const { facts, tainted, signal } = run.results;
    const named = mediaOf(run, say.reply);
    if (named.length === 0 || RUN_POLICY[turn.kind].reply === "to-parent") return NO_MEDIA;
    using limit = new RunDeadline(MEDIA_TIMEOUT_MS, { clock: this.#options.clock, outer: signal });
    return await planMedia(
      {
        named,
        sessionKey: turn.sessionKey,
        target: turn.origin,
        run: facts,
        mayFetch: this.#options.toolGate.mayFetch({
          facts,
          tainted: await isTaintBinding(facts, tainted, this.#options),
        }),
        purpose: "reply",
        identity: ["turn", turn.id, "reply"],
        signal: limit.signal,
      },
      { ...options, ...(streamed?.type === "blocks" ? { nextDueMs: streamed.nextDueMs } : {}) },
      this.#options,
    );
  }
}

function transcriptNoticesOf({ results }: FinishedTurn): readonly string[] {
  return results?.transcriptNotice === undefined ? [] : [results.transcriptNotice];
}

/** What the transcript says of a run besides its messages. */
function noticesOf(run: FinishedTurn, { notice }: TurnConclusion, { failures }: PlannedMedia): readonly TranscriptBody[] {
  const texts = [...transcriptNoticesOf(run), ...(run.results?.replyNotices ?? [])];
  return [
    ...texts.map((text) => ({ type: "notice" as const, level: "info" as const, text })),
    ...(notice === undefined ? [] : [{ type: "notice" as const, ...notice }]),
    ...(failures.length === 0
      ? []
      : [{ type: "notice" as const, level: "warning" as const, text: failures.join(" "), tellsModel: true as const }]),
  ];
}

/** A run in the session of a sub-agent, for its parent. */
function runEndOf({ outcome, results }: FinishedTurn): SubagentRunEnd {
  return {
    outcome,
    lastText: results?.lastText ?? "",
    // Without a run in this process it is unknown what its model was given.
    tainted: results?.tainted ?? true,
    usage: results?.usage ?? NO_USAGE_TOTALS,
  };
}

/** True if the chat has a part of the answer already. */
function isShown(streamed: FinishedTurn["streamed"]): boolean {
  return streamed?.type === "blocks" ? streamed.hasBegun : streamed?.rowId !== undefined;
}

function planRows(
  channels: ChannelRegistry,
  run: FinishedTurn,
  {
    say,
    media,
    speech,
    asked,
  }: TurnConclusion & { readonly media: PlannedMedia; readonly speech: PlannedSpeech | undefined; readonly asked: ReplyTarget },
  options: { readonly nowMs: number; readonly suppressed: boolean; readonly thread: Origin | undefined },
): readonly NewOutbound[] {
  const { turn, streamed, results } = run;
  if (RUN_POLICY[turn.kind].reply === "to-parent") return threadRows(run, say, options, channels);
  if (say === undefined) return run.outcome.type === "done" ? planRemoval(turn, streamed, options, { channels }) : [];
  const isReply = say.purpose === "reply";
  const reply = planReply(
    {
      turn,
      text: isReply
        ? replyText(speech?.replacesText === true ? "" : say.text, media, [
            ...(results?.replyNotices ?? []),
            ...(results?.storedReplyNotices ?? []),
          ])
        : say.text,
      purpose: say.purpose,
      asked,
      hasFiles: media.rows.length > 0,
      covered: say.covered ?? 0,
      streamed,
    },
    options,
    { channels },
  );
  if (!isReply) return reply;
  const shown = reply.length > 0 || streamed?.type === "blocks" ? reply : planRemoval(turn, streamed, options, { channels });
  const answer = withCaption(
    shown,
    [...(speech === undefined ? [] : [speech.row]), ...media.rows],
    channels.channelFor(turn.origin)?.capabilities,
  );
  return [...planThoughts(turn, results?.thoughts ?? "", { key: "reply", ...options }, { channels }), ...answer];
}

/** The answer of a sub-agent, for its thread; its parent gets it in any case. */
function threadRows(
  { turn }: FinishedTurn,
  say: TurnConclusion["say"],
  { thread, ...options }: { readonly nowMs: number; readonly suppressed: boolean; readonly thread: Origin | undefined },
  channels: ChannelRegistry,
): readonly NewOutbound[] {
  if (thread === undefined || say?.purpose !== "reply") return [];
  const message = {
    sessionKey: turn.sessionKey,
    target: thread,
    text: say.text,
    purpose: say.purpose,
    identity: ["turn", turn.id, "thread"],
  };
  return planChatMessage({ ...message, ...options }, channels);
}

/** The text of the reply, with the names of files that are not sent as files, and with notices. */
function replyText(text: string, { words }: PlannedMedia, notices: readonly string[]): string {
  const files = words.length === 0 ? [] : [words.join("\n")];
  return [...(text === "" ? [] : [text]), ...files, ...notices.map((notice) => `_${notice}_`)].join("\n\n");
}

function stopReason(outcome: RunOutcome): StopReason {
  if (outcome.type === "done") return outcome.message.stopReason;
  return outcome.type === "aborted" ? "aborted" : "error";
}
