import { isExchangeEnd, isHeartbeatOk } from "@factotum/agent-core";
import type { AssistantMessage, RunFacts, RunOutcome, UsageTotals } from "@factotum/agent-contract";
import type { NewRequest, TranscriptBody, TurnEnd, TurnRecord } from "@factotum/store";
import { answerText } from "../delivery/chat-entries.ts";
import { parseReply } from "../delivery/parse-reply.ts";
import type { ParsedReply } from "../delivery/parse-reply.ts";
import type { IsKnownMessage } from "../delivery/reply-to.ts";
import type { StreamedReply } from "../delivery/streaming/reply-stream.ts";
import { failureText } from "../notices/failure-text.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

/** How a turn ends, apart from the outcome of its run. */
export type TurnEnding =
  | { readonly type: "plain" }
  /** It had too many attempts: its inputs become dead letters, which the owner can list and replay. The person is notified as for any failure. */
  | { readonly type: "given-up" }
  /** A memory flush that yielded to a message and is still due. */
  | { readonly type: "yielded" }
  /** Its inputs belong to another session: they are requeued there, or their chat is asked to send them again. */
  | { readonly type: "misplaced"; readonly inputs: "begin-again" | "ask-again" }
  /** Somebody other than its sender stopped it: the sender is notified. */
  | { readonly type: "stopped-by-other" };

/** The results of a run. */
export interface RunResults {
  readonly usage: UsageTotals;
  /** Completed and uncommitted entries. */
  readonly entries: readonly TranscriptBody[];
  /** Ended and uncommitted requests. */
  readonly requests: readonly NewRequest[];
  /** Texts that the run has sent to its own origin; an empty one is a file without text. */
  readonly sentTexts: readonly string[];
  /** The newest text of the run, used if the answer has none. */
  readonly lastText: string;
  readonly model: string;
  /** Of a heartbeat: the limit in its message. */
  readonly ackMaxChars: number | undefined;
  readonly isKnownMessage: IsKnownMessage;
  /** The facts under which its files are read. */
  readonly facts: RunFacts;
  /** True if the model had read text of others than the owner when the run ended (R23). */
  readonly tainted: boolean;
  /** Texts of the answers before the last one. */
  readonly earlierTexts: readonly string[];
  /** Notices appended to the reply and stored in the transcript: another model answered (R28), a part of the input was left out (R8). */
  readonly replyNotices: readonly string[];
  /** Notices appended to the reply that the transcript has already. */
  readonly storedReplyNotices: readonly string[];
  /** The model's thoughts to show before the reply. */
  readonly thoughts: string;
  /** All shown thoughts, before the reply or earlier. */
  readonly shownThoughts: string;
  /** A notice for the transcript alone; it is sent to no channel. */
  readonly transcriptNotice: string | undefined;
  /** Fires when no client or person waits for the run any more; its files are not awaited then. */
  readonly signal: AbortSignal;
}

/** A turn whose run is over. */
export interface FinishedTurn {
  readonly turn: TurnRecord;
  readonly outcome: RunOutcome;
  readonly ending: TurnEnding;
  /** What was streamed while it was written. */
  readonly streamed: StreamedReply | undefined;
  /** Absent if it did not run in this process. */
  readonly results: RunResults | undefined;
}

/** What the final commit sends and stores. */
export interface TurnConclusion {
  readonly inputState: TurnEnd["inputState"];
  readonly say:
    | {
        readonly text: string;
        readonly purpose: "reply" | "notice";
        readonly reply?: Extract<ParsedReply, { type: "visible" }>;
        /** Characters of the text that were sent already. */
        readonly covered?: number;
      }
    | undefined;
  /** Stored in the transcript for later readers. */
  readonly notice: { readonly level: "info" | "warning" | "error"; readonly text: string } | undefined;
}

/** A reply without text, for files of earlier answers. */
const WORDLESS = { type: "visible", text: "", replyTo: { type: "none" }, media: [] } as const;

/**
 * True if the input state depends on the text being sent: when the send policy suppresses it, the input is suppressed too. Dead letters do not depend on it.
 */
export function isSaid({ inputState, say }: TurnConclusion): boolean {
  return inputState.type === "answered" || (inputState.type === "told" && say !== undefined);
}

/** The texts of a failed run: for the chat, and for the owner alone. */
export interface FailureTexts {
  readonly chat: string;
  readonly owner: string;
}

/** Decides what the final commit says about a run. Pure. */
export function decideConclusion(run: FinishedTurn, texts: FailureTexts): TurnConclusion {
  const { outcome, turn, ending } = run;
  // A memory flush answers nobody; its outcome is logged.
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
      // A budget or a rule that the owner set is not an error.
      notice: { level: outcome.code === "budget" || outcome.code === "denied" ? "warning" : "error", text: texts.owner },
    };
    const failed: TurnConclusion = ending.type === "given-up" ? { ...told, inputState: { type: "dead", reason: outcome.message } } : told;
    const { isAttended, reportsFailure } = RUN_POLICY[turn.kind];
    if (isAttended) return failed;
    // Unattended: the transcript shows the failure, and the spend guard notifies once when such runs pause.
    const isReported = reportsFailure && outcome.code !== "budget";
    return { ...failed, ...(isReported ? {} : { say: undefined }), ...(outcome.code === "budget" ? { notice: undefined } : {}) };
  }
  return decideAnswer(run, outcome.message) ?? SILENT;
}

const ASK_AGAIN =
  "I have stopped working on your last message, because your messages go into another conversation now. Please send it again.";

const SILENT: TurnConclusion = { inputState: { type: "silent" }, say: undefined, notice: undefined };

/** A run whose model finished without a visible answer has failed. */
export function withAnswerOrFailure(run: FinishedTurn): FinishedTurn {
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

const CUT_NOTICE = "The answer reached the limit of the model's output and is cut here. Ask me to go on for the rest.";

/** Adds a notice to an answer that was cut at the output limit. */
export function withCutNotice(run: FinishedTurn): FinishedTurn {
  const { outcome, results } = run;
  if (results === undefined || outcome.type !== "done" || outcome.message.stopReason !== "length") return run;
  const { replyNotices } = results;
  return replyNotices.includes(CUT_NOTICE) ? run : { ...run, results: { ...results, replyNotices: [...replyNotices, CUT_NOTICE] } };
}

/** The conclusion of an answer; `undefined` if the answer is empty. */
function decideAnswer(run: FinishedTurn, message: AssistantMessage): TurnConclusion | undefined {
  const sentTexts = run.results?.sentTexts ?? [];
  // A model may write its text with its last tool call and then end empty: that text is the answer.
  const text = answerText(message);
  if (RUN_POLICY[run.turn.kind].reply === "unless-heartbeat-ok" && isHeartbeatOk(text, run.results?.ackMaxChars)) return SILENT;
  if (run.turn.kind === "a2a" && isExchangeEnd(text)) return SILENT;
  const hasText = text.trim() !== "";
  // It continues with the results that it waits for.
  if (!hasText && run.outcome.type === "done" && run.outcome.yielded === true) return SILENT;
  // The client goes on with its calls; what was said before them was sent.
  if (!hasText && isHandedOver(run.outcome)) return { inputState: { type: "answered" }, say: undefined, notice: undefined };
  const parsed = parseReply(hasText ? text : (run.results?.lastText ?? ""));
  // A silent end does not revoke files: the earlier text that named them was sent.
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

function isHandedOver(outcome: RunOutcome): boolean {
  return outcome.type === "done" && outcome.clientCalls !== undefined;
}

/** Characters of the text that have outbox rows. Text before the last answer was sent completely. */
function coveredOf(streamed: StreamedReply | undefined, length: number, isLastAnswer: boolean): number {
  if (streamed?.type !== "blocks") return 0;
  return isLastAnswer ? Math.min(streamed.covered, length) : length;
}

/** The files that a reply names; with block streaming, also those of earlier answers, whose text was sent. */
export function mediaOf(run: FinishedTurn, reply: Extract<ParsedReply, { type: "visible" }>): readonly string[] {
  if (run.streamed?.type !== "blocks") return reply.media;
  const earlier = (run.results?.earlierTexts ?? []).map(parseReply).flatMap((parsed) => (parsed.type === "visible" ? parsed.media : []));
  return [...new Set([...earlier, ...reply.media])];
}
