import type { Observer } from "../observe/observer.ts";
import type { SessionCache } from "../context/session-cache.ts";
import type { SessionEvents } from "../events/session-events.ts";
import type { AgentEvent, AgentMessage, AgentTool, AssistantMessage, ModelStreamEvent } from "@factotum/agent-contract";
import type { NewRequest, ToolJournalRecord, TranscriptBody } from "@factotum/store";
import type { RequestRecorder } from "../requests/request-recorder.ts";
import { isGivenId } from "../delivery/given-message-ids.ts";
import { isSuppressed } from "../delivery/is-suppressed.ts";
import { planThoughts } from "../delivery/plan-thoughts.ts";
import { planToolLine } from "../delivery/plan-tool-line.ts";
import type { ToolLine } from "../delivery/plan-tool-line.ts";
import { sentText, sentTextsOf } from "../delivery/sent-texts.ts";
import { createReplyStream } from "./create-reply-stream.ts";
import type { ReplyStreamOptions } from "./create-reply-stream.ts";
import type { ReplyStream, StreamedReply } from "../delivery/streaming/reply-stream.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { answerText, chatToolCall, thinkingText } from "../delivery/chat-entries.ts";
import { ownMessages } from "./prepared-turn.ts";
import type { PreparedTurn } from "./prepared-turn.ts";
import type { ResumedRun } from "./resume-calls.ts";
import { publishEntry } from "../delivery/publish-entry.ts";
import type { TurnSteering } from "./turn-steering.ts";

/** What a run is written down and shown with. */
export interface TurnRecorderOptions extends ReplyStreamOptions {
  readonly events: SessionEvents;
  readonly cache: SessionCache;
  readonly observer: Observer;
}

/**
 * Writes down what a run completes and shows what it does. Commits only where something depends on it: the answer and the journal before a tool that
 * changes anything begins, its result before the next model request. What only reads needs no journal, since after a crash it is simply run again: its
 * result is written while the next request is on its way. So is the turn's beginning while the first one is; nothing is shown or done before that.
 */
export class TurnRecorder {
  readonly #prepared: PreparedTurn;
  readonly #options: TurnRecorderOptions;
  readonly #resumed: ResumedRun | undefined;
  readonly #requests: RequestRecorder;
  readonly #steering: TurnSteering;
  #pending: TranscriptBody[] = [];
  #journal: Omit<ToolJournalRecord, "turnId">[] = [];
  /** A tool that may have changed something has run since the last commit. */
  #hasChanged = false;
  /** A commit that the run has not waited for: of results, or of the turn itself. */
  #writing: Promise<void> | undefined;
  readonly #sentTexts: string[] = [];
  readonly #steered: AgentMessage[] = [];
  readonly #earlierTexts: string[] = [];
  readonly #thoughts: string[] = [];
  readonly #shownThoughts: string[] = [];
  readonly #stream: ReplyStream | undefined;
  #lastText = "";
  #tainted: boolean;

  constructor(
    prepared: PreparedTurn,
    options: TurnRecorderOptions,
    run: {
      readonly resumed: ResumedRun | undefined;
      readonly requests: RequestRecorder;
      readonly steering: TurnSteering;
      /** Resolves once the turn is on disk and those who watch know of it. */
      readonly begun: Promise<void>;
      readonly signal: AbortSignal;
    },
  ) {
    this.#prepared = prepared;
    this.#options = options;
    this.#resumed = run.resumed;
    this.#requests = run.requests;
    this.#steering = run.steering;
    this.#writing = run.begun;
    this.#tainted = prepared.tainted;
    const own = ownMessages(prepared);
    this.#sentTexts.push(...sentTextsOf(own, prepared.turn.origin));
    this.#earlierTexts.push(...own.flatMap((message) => (message.role === "assistant" ? [answerText(message)] : [])));
    const thoughts = own.flatMap((message) => thoughtsOf(message));
    if (showsAtEnd(prepared)) this.#thoughts.push(...thoughts);
    if (prepared.display.reasoning !== "off") this.#shownThoughts.push(...thoughts);
    this.#lastText = this.#earlierTexts.findLast((text) => text.trim() !== "") ?? "";
    this.#stream = createReplyStream(
      prepared,
      { sentTexts: () => this.#sentTexts, isGiven: (id) => this.isGiven(id), signal: run.signal },
      options,
    );
  }

  /** True when the model was given this id of a message. */
  isGiven(id: string): boolean {
    const { beginning, request } = this.#prepared;
    const prompt = beginning.type === "new" ? [beginning.prompt] : [];
    return isGivenId(id, [...request.history, ...prompt, ...this.#steered]);
  }

  /** Nothing is sent by itself any more; what has been shown of the last answer. Call it when the run is over. */
  async finishStream(): Promise<StreamedReply | undefined> {
    return this.#stream?.finish();
  }

  /** Texts that the run has sent to its own origin with the `message` tool; an empty one is a file alone. */
  get sentTexts(): readonly string[] {
    return this.#sentTexts;
  }

  /** Texts of the turn's answers before the last one. */
  get earlierTexts(): readonly string[] {
    return this.#earlierTexts;
  }

  /** Words of somebody who is not the owner have come into the turn (R23). */
  get tainted(): boolean {
    return this.#tainted;
  }

  /** What is to be shown of the run's thoughts beside its reply; empty unless somebody asked for that. */
  get thoughts(): string {
    return this.#thoughts.join("\n\n");
  }

  /** Everything that is shown of the run's thoughts, beside its reply or before. */
  get shownThoughts(): string {
    return this.#shownThoughts.join("\n\n");
  }

  /** The newest text of the assistant, for a run whose last answer has none. */
  get lastText(): string {
    return this.#lastText;
  }

  /** Takes one event of the loop; resolves when what must be on disk is there. */
  async record(event: Exclude<AgentEvent, { type: "run-end" }>): Promise<void> {
    const { turn, facts } = this.#prepared;
    if (this.#writing !== undefined && !this.#isBeforeRequest(event)) await this.settle();
    switch (event.type) {
      case "turn-start":
        this.#steering.onTurnStart(event.turn);
        await this.#stream?.nextRequest();
        if (!this.#hasUnwritten) return;
        if (this.#hasChanged) return this.flush();
        this.#writing = this.flush();
        // Whoever comes next waits for it, and hears of its failure.
        this.#writing.catch(() => {});
        return;
      case "model-event":
        if (event.event.type === "text-delta") this.#options.crashPoint?.("mid-stream");
        this.#show(event.event);
        return this.#stream?.push(event.event);
      case "message-end":
        this.#steering.onAnswer(event.message);
        if (answerText(event.message).trim() !== "") this.#lastText = answerText(event.message);
        if (event.message === this.#resumed?.answer) return;
        this.#pending.push({ type: "message", message: event.message });
        await this.#shareThoughts(event.message);
        return this.#endAnswer(event.message);
      case "tool-start": {
        const tool = this.#toolOf(event.call.name);
        this.#options.observer.toolStarted(turn, { id: event.call.id, tool });
        if (tool?.traits.effect !== "read") {
          this.#journal.push({ callId: event.call.id, name: event.call.name, state: "started" });
          await this.flush();
        }
        this.#stream?.onToolStart(event.call);
        this.#options.events.publish(facts.sessionKey, { type: "tool-start", runId: turn.id, call: chatToolCall(event.call) });
        return this.#sendToolLine({ type: "start", call: event.call });
      }
      case "tool-delta":
        return this.#options.events.publish(facts.sessionKey, {
          type: "tool-delta",
          runId: turn.id,
          callId: event.callId,
          text: event.text,
        });
      case "tool-end":
        this.#tainted ||= event.result.tainted === true;
        if (this.#resumed?.finished.has(event.call.id) === true) return;
        this.#hasChanged ||= this.#toolOf(event.call.name)?.traits.effect !== "read";
        this.#options.observer.toolEnded(turn, { id: event.call.id, tool: this.#toolOf(event.call.name) }, event.result);
        // It has run, and nothing on disk says so yet.
        this.#options.crashPoint?.("mid-tool");
        this.#pending.push({ type: "message", message: event.result });
        if (this.#toolOf(event.call.name)?.traits.effect !== "read")
          this.#journal.push({ callId: event.call.id, name: event.call.name, state: "finished" });
        this.#sentTexts.push(...[sentText(event.call, event.result, turn.origin)].flatMap((text) => text ?? []));
        return this.#prepared.display.verbose === "full"
          ? this.#sendToolLine({ type: "end", call: event.call, result: event.result })
          : undefined;
      case "steering":
        this.#steered.push(...event.messages);
        this.#tainted ||= event.messages.some(({ tainted }) => tainted === true);
        await this.flush();
        return this.#steering.join(this.#requests);
      case "run-start":
      case "turn-end":
        return;
      case "hook-error":
        this.#options.logger.error("A callback of the run failed", { hook: event.hook, detail: event.message });
    }
  }

  /** Waits for a commit that is under way; rejects when it failed. */
  async settle(): Promise<void> {
    await this.#writing;
    this.#writing = undefined;
  }

  /** Commits what is completed and shows it. */
  async flush(): Promise<void> {
    if (this.#hasUnwritten) await this.#write(this.#requests.take());
  }

  /**
   * The last commit of a turn that stays open: what is completed, and the request that was on the wire. The answer that was cut off is asked for anew:
   * on disk it would be the turn's last word.
   */
  async flushOpen(): Promise<void> {
    this.#pending = this.#pending.filter((entry) => !isCutOff(entry));
    const requests = this.#requests.finish();
    if (this.#hasUnwritten || requests.length > 0) await this.#write(requests);
  }

  get #hasUnwritten(): boolean {
    return this.#pending.length > 0 || this.#journal.length > 0;
  }

  /** True for what the loop tells before it asks the model, and has nothing to write for. */
  #isBeforeRequest(event: AgentEvent): boolean {
    return event.type === "run-start" || (event.type === "turn-start" && !this.#hasUnwritten);
  }

  async #write(requests: readonly NewRequest[]): Promise<void> {
    const { turn, facts } = this.#prepared;
    const entries = this.#pending;
    const journal = this.#journal;
    this.#pending = [];
    this.#journal = [];
    this.#hasChanged = false;
    const recordWritten = this.#requests.recordWriting();
    const written = await this.#options.store.appendToTurn(turn.id, {
      entries,
      journal,
      requests,
      timestampMs: this.#options.clock.now(),
    });
    recordWritten(written);
    this.#options.cache.append(turn.sessionId, written);
    for (const entry of written) publishEntry(this.#options, facts.sessionKey, entry, turn.id);
  }

  /** What is completed and not committed, for the final commit. */
  takePending(): readonly TranscriptBody[] {
    const entries = this.#pending;
    this.#pending = [];
    return entries;
  }

  /** Requests of a run that is over and that are not committed, for the final commit. */
  takeRequests(): readonly NewRequest[] {
    return this.#requests.finish();
  }

  async #endAnswer(message: AssistantMessage): Promise<void> {
    const goesOn = message.content.some(({ type }) => type === "toolCall");
    if (goesOn) this.#earlierTexts.push(answerText(message));
    await this.#stream?.endAnswer({ goesOn });
  }

  async #shareThoughts(message: AssistantMessage): Promise<void> {
    const { turn, display } = this.#prepared;
    const thoughts = thinkingText(message);
    if (display.reasoning === "off" || thoughts === "") return;
    this.#shownThoughts.push(thoughts);
    if (showsAtEnd(this.#prepared)) {
      this.#thoughts.push(thoughts);
      return;
    }
    const { store, clock, dispatcher } = this.#options;
    const suppressed = await isSuppressed(turn, this.#options);
    // By which answer it is: one that a crash has lost is asked for anew, and its thoughts are shown.
    const rows = planThoughts(turn, thoughts, { key: this.#earlierTexts.length, nowMs: clock.now(), suppressed }, this.#options);
    if (rows.length > 0) dispatcher.dispatch(await store.addOutbound(rows, { turnId: turn.id }));
  }

  #toolOf(name: string): AgentTool | undefined {
    return this.#prepared.request.tools.find((tool) => tool.name === name);
  }

  /** Tells the chat of a tool, where somebody asked for that. Runs that nobody asked for may come to tell nothing: they tell nothing of tools either. */
  async #sendToolLine(line: ToolLine): Promise<void> {
    const { turn, display } = this.#prepared;
    if (display.verbose === "off" || !RUN_POLICY[turn.kind].showsProgress) return;
    const { store, clock, dispatcher } = this.#options;
    const suppressed = await isSuppressed(turn, this.#options);
    const rows = planToolLine(turn, line, { nowMs: clock.now(), suppressed }, this.#options);
    if (rows.length > 0) dispatcher.dispatch(await store.addOutbound(rows, { turnId: turn.id }));
  }

  #show(event: ModelStreamEvent): void {
    const { turn, facts } = this.#prepared;
    const { events } = this.#options;
    switch (event.type) {
      case "message-start":
        // Without blocks there is nothing to withdraw: it is the first try.
        if (events.live(facts.sessionKey)?.blocks.length) events.publish(facts.sessionKey, { type: "answer-restart", runId: turn.id });
        return;
      case "text-start":
      case "thinking-start":
        return events.publish(facts.sessionKey, {
          type: "block-start",
          runId: turn.id,
          block: event.type === "text-start" ? "text" : "thinking",
        });
      case "text-delta":
      case "thinking-delta":
        return events.publish(facts.sessionKey, { type: "block-delta", runId: turn.id, text: event.text });
      default:
        return;
    }
  }
}

/** A run that nobody asked for may come to tell nothing: what it thinks is shown beside its answer or not at all. */
function showsAtEnd({ display: { reasoning }, turn }: PreparedTurn): boolean {
  return reasoning === "on" || (reasoning !== "off" && !RUN_POLICY[turn.kind].showsProgress);
}

function thoughtsOf(message: AgentMessage): readonly string[] {
  const thoughts = message.role === "assistant" ? thinkingText(message) : "";
  return thoughts === "" ? [] : [thoughts];
}

function isCutOff(entry: TranscriptBody): boolean {
  return entry.type === "message" && entry.message.role === "assistant" && entry.message.stopReason === "aborted";
}
