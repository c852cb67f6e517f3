import { createHash } from "node:crypto";
import { plural } from "@factotum/agent-contract";
import type { Clock, Logger, Question, Questioner, QuestionOutcome, RunFacts } from "@factotum/agent-contract";
import type { MsgContext } from "@factotum/channel-contract";
import { StoreError } from "@factotum/store";
import type {
  ApprovalRecord,
  ApprovalStore,
  InboxStore,
  InputRecord,
  NoticeBlock,
  QuestionAnswer,
  TurnRecord,
  TurnStore,
} from "@factotum/store";
import type { RunningConfig } from "../agents/running-config.ts";
import { isSameChat } from "../kernel/conversation-key.ts";
import { personId } from "../kernel/person-id.ts";
import { requestIdentity, requestKey } from "../kernel/request-key.ts";
import { parseShortCode } from "../kernel/short-code.ts";
import { readInputs } from "../queue/asking-turn.ts";
import type { Notices } from "../notices/notices.ts";
import type { InputWatchers } from "../queue/run-report.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { isTainted } from "../taint/taint.ts";
import { answerText, questionBlocks, questionCard, questionText } from "./question-texts.ts";
import type { AskingRun, WaitEnd, WaitingCalls } from "./waiting-calls.ts";

/** A longer message is not taken as an answer: it goes to the model as a message. */
const MAX_ANSWER_CHARS = 4_000;

/** Clients that show nothing before the answer: a question would not be seen. */
const SILENT_CHANNEL = "http";

const NOBODY = "No one can be asked in this run. Decide yourself and say what you assumed, or end your answer with the question.";

/** Dependencies of questions. */
export interface QuestionsParts {
  readonly store: ApprovalStore & InboxStore & TurnStore;
  readonly running: RunningConfig;
  readonly calls: WaitingCalls;
  readonly notices: Notices;
  readonly watchers: InputWatchers;
  readonly clock: Clock;
  readonly logger: Logger;
}

/** A question whose run waits for the answer. */
interface OpenQuestion {
  readonly id: string;
  readonly question: Question;
  readonly run: AskingRun;
  /** A message that was taken as the answer is being stored. */
  isTaken: boolean;
}

/** A message that answers a question. */
export interface TakenAnswer {
  readonly id: string;
  readonly answer: QuestionAnswer;
  readonly sessionKey: string;
  readonly input: InputRecord;
}

/**
 * Asks the people of runs, one question after the other, and takes the answers: a pressed button, or the next message of somebody who is asked. Tools are
 * created before the engine, so `connect` provides the dependencies later.
 */
export class Questions implements Questioner {
  #connected: QuestionsParts | undefined;
  readonly #runs = new Map<string, AskingRun>();
  readonly #open = new Map<string, OpenQuestion>();

  connect(parts: QuestionsParts): void {
    this.#connected = parts;
  }

  /** Lets a run ask until the result is disposed. */
  serve(run: AskingRun): Disposable {
    this.#runs.set(run.turn.id, run);
    return {
      [Symbol.dispose]: () => {
        // A run that is repeated serves again before the first one has ended.
        if (this.#runs.get(run.turn.id) === run) this.#runs.delete(run.turn.id);
      },
    };
  }

  async ask(
    questions: readonly Question[],
    { callId, run: facts, signal }: { readonly callId: string; readonly run: RunFacts; readonly signal?: AbortSignal },
  ): Promise<QuestionOutcome> {
    const served = this.#runs.get(facts.runId);
    const run = served === undefined || signal === undefined ? served : { ...served, signal: AbortSignal.any([served.signal, signal]) };
    if (run === undefined || !RUN_POLICY[run.turn.kind].isFromPerson || run.turn.origin.channel === SILENT_CHANNEL)
      return { type: "unanswered", answers: [], untrusted: false, message: NOBODY };
    await run.commit();
    const given: QuestionAnswer[] = [];
    const outcome = (): Pick<QuestionOutcome, "answers" | "untrusted"> => ({
      answers: given.map(({ text }) => text),
      untrusted: given.some(({ untrusted }) => untrusted),
    });
    for (const [index, question] of questions.entries()) {
      const { end, call } = await this.#wait(question, { callId: `${callId}#${index + 1}`, facts, run });
      if (end !== "settled" || call.answer === undefined)
        return { type: "unanswered", ...outcome(), message: this.#whyUnanswered(end, question) };
      given.push(call.answer);
    }
    return { type: "answered", ...outcome() };
  }

  /**
   * Takes a message as the answer to a question that waits in the session: an ordinary text of somebody who is asked, in the same conversation. Synchronous, so
   * that a second message is not taken too. `undefined` for other messages, which end the wait.
   */
  take(sessionKey: string, input: InputRecord): TakenAnswer | undefined {
    const { message } = input;
    const open = [...this.#open.values()].find(
      ({ run, isTaken }) => !isTaken && run.turn.sessionKey === sessionKey && isAsked(input, run.turn, run.said()),
    );
    if (open === undefined || !isPlainText(message)) return undefined;
    open.isTaken = true;
    return { id: open.id, answer: this.#answerOf(answerText(message.text, open.question), input), sessionKey, input };
  }

  /** Stores a taken answer, after which its run goes on, and settles its message. If the store fails, the next message can answer. */
  async record({ id, answer, sessionKey, input }: TakenAnswer): Promise<void> {
    const { notices, watchers } = this.#parts;
    let isStored = false;
    try {
      isStored = await this.#store(id, answer);
    } finally {
      const open = this.#open.get(id);
      if (open !== undefined && !isStored) open.isTaken = false;
    }
    const text = isStored ? answeredText(answer) : CLOSED;
    await notices.endInputs(sessionKey, [input], {
      state: { type: "command" },
      level: "info",
      text,
      ...(isStored ? { blocks: answeredBlocks(answer) } : {}),
    });
    watchers.answered([input.id], text);
  }

  /** Answers by id, for `/answer`; returns what to tell the person. */
  async answer(code: string, words: string, input: InputRecord): Promise<string> {
    const { store } = this.#parts;
    const id = parseShortCode(code);
    const call = await store.readApproval(id);
    const turn = call === undefined ? undefined : await store.readTurn(call.turnId);
    // After a restart it may be answered before its run waits again.
    if (call?.state !== "pending" || call.isQuestion !== true || turn === undefined) return CLOSED;
    const said = this.#open.get(id)?.run.said() ?? (await readInputs(turn, store));
    if (!isAsked(input, turn, said)) return "Somebody else was asked that.";
    const answer = this.#answerOf(answerText(words, questionOf(call)), input);
    return (await this.#store(id, answer)) ? answeredText(answer) : CLOSED;
  }

  get #parts(): QuestionsParts {
    if (this.#connected === undefined) throw new Error("The gateway has not started yet.");
    return this.#connected;
  }

  async #wait(
    question: Question,
    {
      callId,
      facts: { agentId, sessionId, sessionKey },
      run,
    }: { readonly callId: string; readonly facts: RunFacts; readonly run: AskingRun },
  ): ReturnType<WaitingCalls["wait"]> {
    const { calls } = this.#parts;
    const { id: turnId, origin } = run.turn;
    const call = await calls.request({
      sessionKey,
      sessionId,
      agentId,
      turnId,
      callId,
      toolName: "ask_user",
      arguments: { question: question.question, options: question.options },
      binding: createHash("sha256").update(`${turnId}|${callId}`).digest("hex"),
      text: question.question,
      reason: "",
      origin,
      isQuestion: true,
    });
    this.#open.set(call.id, { id: call.id, question, run, isTaken: false });
    try {
      return await calls.wait(call, run, async () => this.#announce(call, question, run));
    } finally {
      this.#open.delete(call.id);
    }
  }

  /** Shows the question where the run answers. */
  async #announce({ id }: ApprovalRecord, question: Question, { turn, inputIds }: AskingRun): Promise<void> {
    const { notices, watchers, logger } = this.#parts;
    const text = questionText(question, turn.origin);
    const request = { type: "answer", id } as const;
    const identity = requestIdentity(request);
    const card = question.options.length === 0 ? {} : { card: questionCard(id, question, turn.origin) };
    try {
      watchers.notice(inputIds(), text);
      await notices.sendToChat(turn.sessionKey, turn.origin, { text, identity, ...card });
      await notices.addEntry(turn.sessionKey, {
        level: "info",
        text,
        blocks: questionBlocks(question, turn.origin),
        key: requestKey(request),
      });
    } catch (error) {
      // It ends by its time, or by the next message.
      logger.error("A question could not be shown", { question: id, error });
    }
  }

  #whyUnanswered(end: WaitEnd, question: Question): string {
    const which = JSON.stringify(question.question);
    switch (end) {
      case "parked":
        return `${which} was not answered: another message came in first. Answer that message. If it holds the answer, go on with it.`;
      case "expired":
        return `${which} was not answered within ${plural(this.#parts.calls.minutes, "minute")}. Decide yourself and say what you assumed, or end your answer with the question.`;
      case "settled":
      case "over":
        return `${which} was not answered: the run was stopped.`;
    }
  }

  #answerOf(text: string, { message, admission }: InputRecord): QuestionAnswer {
    const { ownerAllowFrom } = this.#parts.running.config.commands;
    return { text, untrusted: isTainted(message, { admission, overheard: [], ownerAllowFrom }) };
  }

  /** False if the question no longer waits. */
  async #store(id: string, answer: QuestionAnswer): Promise<boolean> {
    const { store, calls, clock } = this.#parts;
    try {
      await store.answerQuestion(id, { answer, nowMs: clock.now() });
    } catch (error) {
      if (StoreError.isInstance(error) && error.code === "not-found") return false;
      throw error;
    }
    calls.settled(id);
    return true;
  }
}

const CLOSED = "That question does not wait for an answer any more. Just write what you want.";

function answeredText({ text }: QuestionAnswer): string {
  return `Answered: ${text}`;
}

function answeredBlocks({ text }: QuestionAnswer): readonly NoticeBlock[] {
  return [
    { type: "text", text: "Answered:" },
    { type: "quote", text },
  ];
}

function questionOf({ arguments: { question, options } }: ApprovalRecord): Question {
  return {
    question: typeof question === "string" ? question : "",
    options: Array.isArray(options) ? options.filter((option) => typeof option === "string") : [],
  };
}

/** True for a person whose messages the run answers, in the same conversation. The owner may answer from any direct conversation of the session. */
function isAsked({ message, admission }: InputRecord, turn: TurnRecord, said: readonly InputRecord[]): boolean {
  const { origin, sender } = message;
  if (!RUN_POLICY[admission.kind].isFromPerson || sender.isBot || origin.channel === SILENT_CHANNEL) return false;
  const isDirect = origin.conversation.kind === "direct" && turn.origin.conversation.kind === "direct";
  if (isDirect && admission.owner && turn.owner) return true;
  const id = personId(origin, sender.id);
  return isSameChat(origin, turn.origin) && said.some((one) => personId(one.message.origin, one.message.sender.id) === id);
}

function isPlainText({ event, text, attachments, command, forwarded, untrusted = [] }: MsgContext): boolean {
  const isOnlyText = attachments.length === 0 && command === undefined && forwarded === undefined && untrusted.length === 0;
  return event.type === "message" && isOnlyText && text.trim() !== "" && text.length <= MAX_ANSWER_CHARS;
}
