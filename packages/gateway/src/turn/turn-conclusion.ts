import { isHeartbeatOk } from "@factotum/agent-core";
import type { AssistantMessage, RunFacts, RunOutcome, UsageTotals } from "@factotum/agent-contract";
import type { NewRequest, TranscriptBody, TurnEnd, TurnRecord } from "@factotum/store";
import { answerText } from "../delivery/chat-entries.ts";
import { parseReply } from "../delivery/parse-reply.ts";
import type { ParsedReply } from "../delivery/parse-reply.ts";
import type { StreamedReply } from "../delivery/streaming/reply-stream.ts";
import { failureText } from "../notices/failure-text.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

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
  /** Notices appended to the reply and stored in the transcript: another model answered (R28), a part of the input was left out (R8). */
  readonly replyNotices: readonly string[];
  /** Notices appended to the reply that the transcript has already. */
  readonly storedReplyNotices: readonly string[];
  /** The model's thoughts, to be shown before the reply. */
  readonly thoughts: string;
  /** All of them that are shown, before the reply or earlier. */
  readonly shownThoughts: string;
  /** A notice for the transcript alone; it is sent to no channel. */
  readonly transcriptNotice: string | undefined;
  /** Fires when no client or person waits for the run any longer: then its files are not waited for either. */
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
export interface TurnConclusion {
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
  readonly notice: { readonly level: "info" | "warning" | "error"; readonly text: string } | undefined;
}

/** A reply that may have files of earlier answers, and nothing of its own. */
const WORDLESS = { type: "visible", text: "", replyTo: { type: "none" }, media: [] } as const;

/** Whether the input ends because of what is said: when that is kept back, so is the answer. A dead letter is one whatever is said. */
export function isSaid({ inputState, say }: TurnConclusion): boolean {
  return inputState.type === "answered" || (inputState.type === "told" && say !== undefined);
}

/** What is said of a failed run: in the chat, and where only the owner looks. */
export interface FailureTexts {
  readonly chat: string;
  readonly owner: string;
}

/** What the final commit says of a run. Pure. */
export function decideConclusion(run: FinishedTurn, texts: FailureTexts): TurnConclusion {
  const { outcome, turn, ending } = run;
  // Notes answer no person: their outcome is in the log.
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
      // A cap that the owner has set has done what it is for.
      notice: { level: outcome.code === "budget" ? "warning" : "error", text: texts.owner },
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

/** The files that a reply names; with blocks, those of the answers before the last one too, whose text was sent. */
export function mediaOf(run: FinishedTurn, reply: Extract<ParsedReply, { type: "visible" }>): readonly string[] {
  if (run.streamed?.type !== "blocks") return reply.media;
  const earlier = (run.results?.earlierTexts ?? []).map(parseReply).flatMap((parsed) => (parsed.type === "visible" ? parsed.media : []));
  return [...new Set([...earlier, ...reply.media])];
}
