import { NO_USAGE_TOTALS } from "@factotum/agent-contract";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Logger, Clock, AssistantMessage, RunFacts, RunOutcome, StopReason, UsageTotals } from "@factotum/agent-contract";
import type { InboxStore, NewOutbound, NewRequest, SessionStore, TranscriptBody, TurnEnd, TurnRecord, TurnStore } from "@factotum/store";
import { isHeartbeatOk } from "@factotum/agent-core";
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
import { parseReply } from "../delivery/parse-reply.ts";
import type { ParsedReply } from "../delivery/parse-reply.ts";
import { NO_MEDIA, planMedia } from "../delivery/plan-media.ts";
import type { PlannedMedia } from "../delivery/plan-media.ts";
import { planRemoval, planReply } from "../delivery/plan-reply.ts";
import type { StreamedReply } from "../delivery/streaming/reply-stream.ts";
import { isSuppressed } from "../delivery/is-suppressed.ts";
import { planThoughts } from "../delivery/plan-thoughts.ts";
import { LaneAbort } from "../kernel/lane-abort.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { isTaintBinding } from "../taint/taint.ts";
import { answerText } from "../delivery/chat-entries.ts";
import { failureText, ownerFailureText } from "../notices/failure-text.ts";
import { isOwnerChat } from "./owner-chat.ts";
import { RunDeadline } from "../queue/run-deadline.ts";
import { publishEntry } from "../delivery/publish-entry.ts";

/** How long the files of a reply may take to be had. */
const MEDIA_TIMEOUT_MS = 90_000;

/** A reply that may have files of earlier answers, and nothing of its own. */
const WORDLESS = { type: "visible", text: "", replyTo: { type: "none" }, media: [] } as const;

/** How a turn ends, apart from what its run came to. */
export type TurnEnding =
  | { readonly type: "plain" }
  /** It was tried too often: its inputs become dead letters, which the owner can look at and replay. The person is told as of any failure. */
  | { readonly type: "given-up" }
  /** It wrote notes, and made way for a message: they are still to be written. */
  | { readonly type: "yielded" }
  /** Its inputs belong to another session: they wait again, or their chat is told to ask again. */
  | { readonly type: "misplaced"; readonly inputs: "begin-again" | "ask-again" }
  /** Somebody else stopped it: its sender is told. */
  | { readonly type: "stopped-by-other" };

/** What a run leaves. */
export interface RunResults {
  readonly usage: UsageTotals;
  /** Completed and not committed. */
  readonly entries: readonly TranscriptBody[];
  /** Ended and not committed. */
  readonly requests: readonly NewRequest[];
  /** What the run has sent to its own origin already; an empty text is a file alone. */
  readonly sentTexts: readonly string[];
  /** The newest text of the run, for an answer without one. */
  readonly lastText: string;
  readonly model: string;
  /** True for ids of messages that the model was given. */
  readonly isGiven: (id: string) => boolean;
  /** What its files are read with. */
  readonly facts: RunFacts;
  /** The model had been given words of somebody who is not the owner when the run ended (R23). */
  readonly tainted: boolean;
  /** Texts of its answers before the last one. */
  readonly earlierTexts: readonly string[];
  /** What the person is told beside the answer: another model has answered (R28), something of theirs was left out (R8). */
  readonly remarks: readonly string[];
  /** What the person is told beside the answer and the transcript has as a notice already. */
  readonly noted: readonly string[];
  /** The model's thoughts, to be shown before the reply. */
  readonly thoughts: string;
  /** All of them that are shown, before the reply or earlier. */
  readonly shownThoughts: string;
  /** What else the conversation is told; it is sent to no channel. */
  readonly note: string | undefined;
  /** Fires when nobody waits for the run any longer: then its files are not waited for either. */
  readonly signal: AbortSignal;
}

/** A turn that is over. */
export interface FinishedTurn {
  readonly turn: TurnRecord;
  readonly outcome: RunOutcome;
  readonly ending: TurnEnding;
  /** What has been shown while it was written. */
  readonly streamed: StreamedReply | undefined;
  /** Absent when it did not run in this process. */
  readonly results: RunResults | undefined;
}

/** What the final commit says to the person. */
interface TurnConclusion {
  readonly inputState: TurnEnd["inputState"];
  readonly say:
    | {
        readonly text: string;
        readonly purpose: "reply" | "notice";
        readonly reply?: Extract<ParsedReply, { type: "visible" }>;
        /** How much of the text is sent already. */
        readonly covered?: number;
      }
    | undefined;
  /** Kept in the conversation for people who look at it later. */
  readonly notice: { readonly level: "info" | "error"; readonly text: string } | undefined;
}

/** What turns are ended with. */
export interface TurnConcluderOptions {
  readonly store: InboxStore & SessionStore & TurnStore;
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
  readonly crashPoint?: CrashPointHook | undefined;
}

/** Ends turns: decides what is said, and commits it. */
export class TurnConcluder {
  readonly #options: TurnConcluderOptions;

  constructor(options: TurnConcluderOptions) {
    this.#options = options;
  }

  /** The final commit: last entries, outbox, usage and inputs at once; then everybody who waits or watches is told. */
  async conclude(finished: FinishedTurn): Promise<void> {
    const run = withCutRemark(withAnswerOrFailure(finished));
    const { turn } = run;
    const { store, clock, events, dispatcher, channels } = this.#options;
    const nowMs = clock.now();
    const suppressed = await isSuppressed(turn, this.#options);
    const texts = await this.#failureTexts(run);
    const closing = decideConclusion(run, texts);
    const media = await this.#planFiles(run, closing, { nowMs, suppressed });
    const { results } = run;
    const reason: unknown = results?.signal.reason;
    // Stopped by a person while its files were fetched: the answer is not given then.
    if (media !== NO_MEDIA && reason instanceof LaneAbort)
      return this.conclude({
        ...run,
        outcome: { type: "aborted", reason: reason.message },
        ending: { type: reason.tellsSender ? "stopped-by-other" : "plain" },
      });
    const remarks = results?.remarks ?? [];
    const note = results?.note === undefined ? [] : [results.note];
    const notices: readonly TranscriptBody[] = [
      ...[...note, ...remarks].map((text) => ({
        type: "notice" as const,
        level: "info" as const,
        text,
      })),
      ...(closing.notice === undefined ? [] : [{ type: "notice" as const, ...closing.notice }]),
      ...(media.notes.length === 0
        ? []
        : [{ type: "notice" as const, level: "warning" as const, text: media.notes.join(" "), tellsModel: true as const }]),
    ];
    const outbox = planRows(channels, run, { ...closing, media }, { nowMs, suppressed });
    const ended = await store.endTurn({
      turnId: turn.id,
      state: run.outcome.type,
      ...(run.outcome.type === "failed" ? { failure: { code: run.outcome.code, message: run.outcome.message } } : {}),
      entries: [...(results?.entries ?? []), ...notices],
      outbox,
      ...withoutUndefined({ requests: results?.requests }),
      usage: results?.usage ?? NO_USAGE_TOTALS,
      inputState: suppressed && isSaid(closing) ? { type: "suppressed" } : closing.inputState,
      ...(run.ending.type === "yielded" ? { forgetsMemoryFlush: true } : {}),
      // Whoever answers after a long run has not been idle.
      ...(RUN_POLICY[turn.kind].isFromPerson ? { interactedAtMs: nowMs } : {}),
      endedAtMs: nowMs,
    });
    this.#options.observer.turnEnded(turn, run.outcome.type);
    if (run.outcome.type === "done") this.#options.failedRuns.clear(turn.agentId);
    else if (run.outcome.type === "failed")
      this.#options.failedRuns.record({ agentId: turn.agentId, code: run.outcome.code, text: texts.owner, atMs: nowMs });
    this.#options.crashPoint?.("after-final-commit");
    dispatcher.dispatch(ended.outbox);
    this.#options.cache.append(turn.sessionId, ended.entries);
    for (const entry of ended.entries) publishEntry(this.#options, turn.sessionKey, entry, turn.id);
    const message = run.outcome.type === "done" ? undefined : run.outcome.type === "aborted" ? run.outcome.reason : texts.owner;
    events.publish(turn.sessionKey, {
      type: "run-end",
      runId: turn.id,
      outcome: { type: run.outcome.type, ...withoutUndefined({ message }) },
    });
    if (run.outcome.type === "failed")
      this.#options.logger.warn("A run failed", {
        turnId: turn.id,
        sessionKey: turn.sessionKey,
        code: run.outcome.code,
        detail: run.outcome.message,
      });
    this.#options.watchers.report(turn.inputIds, {
      runId: turn.id,
      sessionKey: turn.sessionKey,
      outcome: run.outcome,
      failureText: texts.owner,
      text: closing.say?.purpose === "reply" ? closing.say.text : "",
      stopReason: stopReason(run.outcome),
      model: results?.model ?? "",
      usage: results?.usage ?? NO_USAGE_TOTALS,
      remarks: [...remarks, ...(results?.noted ?? [])],
      notices: [...note, ...media.notes],
      thoughts: results?.shownThoughts ?? "",
    });
  }

  /** The chat of the owner alone gets the reason itself; whoever else reads along gets a sentence that tells nothing of the installation. */
  async #failureTexts({ outcome, turn }: FinishedTurn): Promise<FailureTexts> {
    if (outcome.type !== "failed") return { chat: "", owner: "" };
    const owner = ownerFailureText(outcome, this.#options.hideSecrets);
    return { owner, chat: (await isOwnerChat(turn, this.#options)) ? owner : failureText(outcome) };
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
    if (named.length === 0) return NO_MEDIA;
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

/** Whether the input ends because of what is said: when that is kept back, so is the answer. A dead letter is one whatever is said. */
function isSaid({ inputState, say }: TurnConclusion): boolean {
  return inputState.type === "answered" || (inputState.type === "told" && say !== undefined);
}

/** What is said of a failed run: in the chat, and where only the owner looks. */
interface FailureTexts {
  readonly chat: string;
  readonly owner: string;
}

function decideConclusion(run: FinishedTurn, texts: FailureTexts): TurnConclusion {
  const { outcome, turn, ending } = run;
  // Notes are nobody's answer: what became of them stands in the log.
  if (RUN_POLICY[turn.kind].reply === "never") return SILENT;
  if (outcome.type === "aborted") {
    const notice = { level: "info", text: `Stopped: ${outcome.reason}.` } as const;
    if (ending.type === "misplaced" && ending.inputs === "begin-again") return { inputState: { type: "waiting" }, say: undefined, notice };
    if (ending.type === "misplaced")
      return { inputState: { type: "told", reason: outcome.reason }, say: { text: ASK_AGAIN, purpose: "notice" }, notice };
    return {
      inputState: { type: "interrupted", reason: outcome.reason },
      say:
        ending.type === "stopped-by-other" && RUN_POLICY[turn.kind].isAttended
          ? { text: failureText({ code: "aborted" }), purpose: "notice" }
          : undefined,
      notice,
    };
  }
  if (outcome.type === "failed") {
    const told: TurnConclusion = {
      inputState: { type: "told", reason: `${outcome.code}: ${outcome.message}` },
      say: { text: texts.chat, purpose: "notice" },
      notice: { level: "error", text: texts.owner },
    };
    const failed: TurnConclusion = ending.type === "given-up" ? { ...told, inputState: { type: "dead", reason: outcome.message } } : told;
    if (RUN_POLICY[turn.kind].isAttended) return failed;
    // Nobody waits for it: the conversation shows it, and that such runs pause is told once, by who pauses them.
    return { ...failed, say: undefined, ...(outcome.code === "budget" ? { notice: undefined } : {}) };
  }
  return decideAnswer(run, outcome.message) ?? SILENT;
}

const ASK_AGAIN =
  "I have stopped working on your last message, because your messages go into another conversation now. Please send it again.";

const SILENT: TurnConclusion = { inputState: { type: "silent" }, say: undefined, notice: undefined };

/** A run whose model had the last word, and said nothing that a person can be given, has failed. */
function withAnswerOrFailure(run: FinishedTurn): FinishedTurn {
  const { outcome, turn } = run;
  if (outcome.type !== "done" || RUN_POLICY[turn.kind].reply === "never") return run;
  if (decideAnswer(run, outcome.message) !== undefined) return run;
  const { provider, model, stopReason, usage } = outcome.message;
  const failed: RunOutcome =
    stopReason === "length"
      ? {
          type: "failed",
          code: "output-limit",
          message: `${provider}/${model} reached its output limit (${usage.output} tokens) before it had written an answer.`,
        }
      : { type: "failed", code: "empty", message: `${provider}/${model} ended without an answer.` };
  return { ...run, outcome: failed };
}

const CUT_REMARK = "The answer reached the limit of the model's output and is cut here. Ask me to go on for the rest.";

/** An answer that ends in the middle says so. */
function withCutRemark(run: FinishedTurn): FinishedTurn {
  const { outcome, results } = run;
  if (results === undefined || outcome.type !== "done" || outcome.message.stopReason !== "length") return run;
  const { remarks } = results;
  return remarks.includes(CUT_REMARK) ? run : { ...run, results: { ...results, remarks: [...remarks, CUT_REMARK] } };
}

/** What an answer comes to; `undefined` when there is nothing in it. */
function decideAnswer(run: FinishedTurn, message: AssistantMessage): TurnConclusion | undefined {
  const sentTexts = run.results?.sentTexts ?? [];
  // A model may put its words beside its last tool call and end with nothing: those words are the answer then.
  const text = answerText(message);
  if (RUN_POLICY[run.turn.kind].reply === "unless-heartbeat-ok" && isHeartbeatOk(text)) return SILENT;
  const hasText = text.trim() !== "";
  const parsed = parseReply(hasText ? text : (run.results?.lastText ?? ""));
  // Silence at the end takes nothing back: the text before it that named files was sent.
  const reply = parsed.type === "silent" && mediaOf(run, WORDLESS).length > 0 ? WORDLESS : parsed;
  if (reply.type === "silent") return SILENT;
  if (reply.text === "" && mediaOf(run, reply).length === 0)
    return sentTexts.length > 0 ? { inputState: { type: "answered" }, say: undefined, notice: undefined } : undefined;
  const isSaid = sentTexts.includes(reply.text);
  if (isSaid && mediaOf(run, reply).length === 0) return { inputState: { type: "answered" }, say: undefined, notice: undefined };
  const said = isSaid ? "" : reply.text;
  const covered = coveredOf(run.streamed, said.length, hasText);
  return { inputState: { type: "answered" }, say: { text: said, purpose: "reply", reply, covered }, notice: undefined };
}

/** How much of the text has rows. What comes before the last answer has been sent whole. */
function coveredOf(streamed: StreamedReply | undefined, length: number, isLastAnswer: boolean): number {
  if (streamed?.type !== "blocks") return 0;
  return isLastAnswer ? Math.min(streamed.covered, length) : length;
}

function planRows(
  channels: ChannelRegistry,
  run: FinishedTurn,
  { say, media }: TurnConclusion & { readonly media: PlannedMedia },
  options: { readonly nowMs: number; readonly suppressed: boolean },
): readonly NewOutbound[] {
  const { turn, streamed, results } = run;
  if (say === undefined) return run.outcome.type === "done" ? planRemoval(turn, streamed, options, { channels }) : [];
  const isReply = say.purpose === "reply";
  const reply = planReply(
    {
      turn,
      text: isReply ? replyText(say.text, media, [...(results?.remarks ?? []), ...(results?.noted ?? [])]) : say.text,
      purpose: say.purpose,
      asked: say.reply?.replyTo ?? { type: "none" },
      isGiven: results?.isGiven ?? (() => false),
      covered: say.covered ?? 0,
      streamed,
    },
    options,
    { channels },
  );
  if (!isReply) return reply;
  const shown = reply.length > 0 || streamed?.type === "blocks" ? reply : planRemoval(turn, streamed, options, { channels });
  return [...planThoughts(turn, results?.thoughts ?? "", { key: "reply", ...options }, { channels }), ...shown, ...media.rows];
}

/** The text of the reply, with the names of files that are not sent as files, and with remarks. */
function replyText(text: string, { words }: PlannedMedia, remarks: readonly string[]): string {
  const files = words.length === 0 ? [] : [words.join("\n")];
  return [...(text === "" ? [] : [text]), ...files, ...remarks.map((remark) => `_${remark}_`)].join("\n\n");
}

/** The files that a reply names; with blocks, those of the answers before the last one too, whose text was sent. */
function mediaOf(run: FinishedTurn, reply: Extract<ParsedReply, { type: "visible" }>): readonly string[] {
  if (run.streamed?.type !== "blocks") return reply.media;
  const earlier = (run.results?.earlierTexts ?? []).map(parseReply).flatMap((parsed) => (parsed.type === "visible" ? parsed.media : []));
  return [...new Set([...earlier, ...reply.media])];
}

function stopReason(outcome: RunOutcome): StopReason {
  if (outcome.type === "done") return outcome.message.stopReason;
  return outcome.type === "aborted" ? "aborted" : "error";
}
