import type { Observer } from "../observe/observer.ts";
import type { SessionCache } from "../context/session-cache.ts";
import type { SessionSubagents } from "../subagents/session-subagents.ts";
import type { SessionEvents } from "../events/session-events.ts";
import type { AgentEvent, AgentMessage, AgentTool, AssistantMessage, ModelStreamEvent, PlanBoard } from "@factotum/agent-contract";
import type { NewRequest, SpawnStore, ToolJournalRecord, TranscriptBody } from "@factotum/store";
import type { RequestRecorder } from "../requests/request-recorder.ts";
import { externalAgentOf } from "../agents/external-agent.ts";
import { isGivenId } from "../delivery/given-message-ids.ts";
import { isMessageOf } from "../delivery/rich/known-messages.ts";
import { isSuppressed } from "../delivery/is-suppressed.ts";
import { planThoughts } from "../delivery/plan-thoughts.ts";
import { planToolLine } from "../delivery/plan-tool-line.ts";
import type { ToolLine } from "../delivery/plan-tool-line.ts";
import { sentText, sentTextsOf } from "../delivery/sent-texts.ts";
import { createReplyStream } from "./create-reply-stream.ts";
import type { ReplyStreamOptions } from "./create-reply-stream.ts";
import type { ReplyStream, StreamedReply } from "../delivery/streaming/reply-stream.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { answerText, chatToolCall, isStopped, thinkingText } from "../delivery/chat-entries.ts";
import { ownMessages } from "../preparation/prepared-turn.ts";
import type { PreparedTurn } from "../preparation/prepared-turn.ts";
import { ExternalCalls } from "./external-calls.ts";
import type { ResumedRun } from "./resume-calls.ts";
import { publishEntry } from "../delivery/publish-entry.ts";
import type { TurnSteering } from "./turn-steering.ts";

/** Dependencies of the turn recorder. */
export interface TurnRecorderOptions extends ReplyStreamOptions {
  readonly store: ReplyStreamOptions["store"] & Pick<SpawnStore, "appendSpawns">;
  readonly events: SessionEvents;
  readonly cache: SessionCache;
  readonly subagents: Pick<SessionSubagents, "book" | "forget" | "take" | "onStarted">;
  readonly observer: Observer;
  readonly planBoard: PlanBoard;
}

/**
 * Stores what a run completes and publishes what it does. Commits only where correctness depends on it: the answer and the journal before a tool with side
 * effects starts, its result before the next model request. Read-only tools need no journal, because after a crash they are simply run again; their results are
 * written while the next request is on the wire. So is the turn's first commit, before which nothing is shown or executed.
 */
export class TurnRecorder {
  readonly #prepared: PreparedTurn;
  readonly #options: TurnRecorderOptions;
  readonly #resumed: ResumedRun | undefined;
  readonly #requests: RequestRecorder;
  readonly #steering: TurnSteering;
  #pending: TranscriptBody[] = [];
  #journal: Omit<ToolJournalRecord, "turnId">[] = [];
  /** True if a tool with side effects has run since the last commit. */
  #hasChanged = false;
  /** A pending commit that the run did not wait for: of results, or of the turn itself. */
  #writing: Promise<void> | undefined;
  readonly #sentTexts: string[] = [];
  readonly #steered: AgentMessage[] = [];
  /** Ids of calls that were started in this process. */
  readonly #started = new Set<string>();
  readonly #earlierTexts: string[] = [];
  readonly #thoughts: string[] = [];
  readonly #shownThoughts: string[] = [];
  readonly #stream: ReplyStream | undefined;
  readonly #external: ExternalCalls;
  #lastText = "";
  /** True once a client has received text of the current answer. */
  #wasWatched = false;
  #tainted: boolean;

  constructor(
    prepared: PreparedTurn,
    options: TurnRecorderOptions,
    run: {
      readonly resumed: ResumedRun | undefined;
      readonly requests: RequestRecorder;
      readonly steering: TurnSteering;
      /** Resolves once the turn is committed and its watchers are notified. */
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
    // What an external agent has read is not known.
    this.#tainted = prepared.tainted || externalAgentOf(prepared.model.reference) !== undefined;
    options.subagents.forget(prepared.turn.id);
    const own = ownMessages(prepared);
    this.#sentTexts.push(...sentTextsOf(own, prepared.turn.origin));
    this.#earlierTexts.push(...own.flatMap((message) => (message.role === "assistant" ? [answerText(message)] : [])));
    const thoughts = own.flatMap((message) => thoughtsOf(message));
    if (showsAtEnd(prepared)) this.#thoughts.push(...thoughts);
    if (prepared.display.reasoning !== "off") this.#shownThoughts.push(...thoughts);
    this.#lastText = this.#earlierTexts.findLast((text) => text.trim() !== "") ?? "";
    this.#stream = createReplyStream(
      prepared,
      { sentTexts: () => this.#sentTexts, isKnownMessage: async (id) => this.isKnownMessage(id), signal: run.signal },
      options,
    );
    const { events, planBoard } = options;
    this.#external = new ExternalCalls({
      runId: prepared.turn.id,
      facts: prepared.facts,
      events,
      planBoard,
      onStart: async (line) => {
        this.#stream?.onToolStart(line.call);
        await this.#sendToolLine(line);
      },
    });
  }

  /** As `IsKnownMessage`. A session may have several conversations, and a platform may address a message by its id alone. */
  async isKnownMessage(id: string): Promise<boolean> {
    const { turn } = this.#prepared;
    return this.#isGiven(id) && (id === turn.replyTo || (await isMessageOf(turn.origin, id, { turn, store: this.#options.store })));
  }

  /** True if the model was given the message with this id. */
  #isGiven(id: string): boolean {
    const { beginning, request } = this.#prepared;
    const prompt = beginning.type === "new" && beginning.prompt !== undefined ? [beginning.prompt] : [];
    return isGivenId(id, [...request.history, ...prompt, ...this.#steered]);
  }

  /** Stops the stream and returns what was shown of the last answer. Call it when the run is over. */
  async finishStream(): Promise<StreamedReply | undefined> {
    return this.#stream?.finish();
  }

  /** Withdraws the text of an unfinished answer; false if somebody has seen it, in the chat or in a client that watches the session. */
  withdrawText(): boolean {
    if (this.#wasWatched || this.#options.events.isWatched(this.#prepared.facts.sessionKey)) return false;
    return this.#stream?.withdraw() ?? true;
  }

  /** Texts that the run has sent to its own origin with the `message` tool; an empty one is a file without text. */
  get sentTexts(): readonly string[] {
    return this.#sentTexts;
  }

  /** Texts of the turn's answers before the last one. */
  get earlierTexts(): readonly string[] {
    return this.#earlierTexts;
  }

  /** True if text of others than the owner has entered the turn (R23). */
  get tainted(): boolean {
    return this.#tainted;
  }

  /** The run's thoughts to show before its reply; empty unless requested. */
  get thoughts(): string {
    return this.#thoughts.join("\n\n");
  }

  /** All shown thoughts of the run, before its reply or earlier. */
  get shownThoughts(): string {
    return this.#shownThoughts.join("\n\n");
  }

  /** The assistant's newest text, for a run whose last answer has none. */
  get lastText(): string {
    return this.#lastText;
  }

  /** Records one event of the loop; resolves when everything that must be durable is committed. */
  async record(event: Exclude<AgentEvent, { type: "run-end" }>): Promise<void> {
    const { turn, facts } = this.#prepared;
    if (this.#writing !== undefined && !this.#isBeforeRequest(event)) await this.settle();
    switch (event.type) {
      case "turn-start":
        this.#steering.onTurnStart(event.turn);
        this.#wasWatched = false;
        await this.#stream?.nextRequest();
        if (!this.#hasUnwritten) return;
        if (this.#hasChanged) return this.flush();
        this.#writing = this.flush();
        // The next writer awaits it and gets its rejection.
        this.#writing.catch(() => {});
        return;
      case "model-event":
        if (event.event.type === "text-delta") this.#options.crashPoint?.("mid-stream");
        if (event.event.type === "external-call" || event.event.type === "external-call-delta") return this.#external.show(event.event);
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
        this.#started.add(event.call.id);
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
        if (event.result.external === true) {
          this.#external.onEnd(event.call.id);
          this.#pending.push({ type: "message", message: event.result });
          return this.#sendToolEnd(event);
        }
        this.#hasChanged ||= this.#toolOf(event.call.name)?.traits.effect !== "read";
        this.#options.observer.toolEnded(turn, { id: event.call.id, tool: this.#toolOf(event.call.name) }, event.result);
        // The tool has run and nothing is committed yet.
        this.#options.crashPoint?.("mid-tool");
        this.#pending.push({ type: "message", message: event.result });
        if (this.#toolOf(event.call.name)?.traits.effect !== "read")
          this.#journal.push({ callId: event.call.id, name: event.call.name, state: "finished" });
        this.#sentTexts.push(...[sentText(event.call, event.result, turn.origin)].flatMap((text) => text ?? []));
        return this.#sendToolEnd(event);
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

  /** Waits for a pending commit; rejects if it failed. */
  async settle(): Promise<void> {
    await this.#writing;
    this.#writing = undefined;
  }

  /** Commits completed items and publishes them. */
  async flush(): Promise<void> {
    if (this.#hasUnwritten) await this.#write(this.#requests.take());
  }

  /**
   * The last commit of a turn that stays open: completed items, and the request on the wire. A partial answer is not stored, since it would become the turn's
   * last message; it is requested again. Nor are the results of calls that were not started, or that only read: they are still to be made.
   */
  async flushOpen(): Promise<void> {
    this.#pending = this.#pending.filter((entry) => !isCutOff(entry) && !this.#isUnstarted(entry));
    const requests = this.#requests.finish();
    if (this.#hasUnwritten || requests.length > 0) await this.#write(requests);
  }

  #isUnstarted(entry: TranscriptBody): boolean {
    if (entry.type !== "message" || entry.message.role !== "toolResult") return false;
    const { toolCallId, toolName } = entry.message;
    // One that only reads is run again, like after a crash.
    return isStopped(entry.message) && (!this.#started.has(toolCallId) || this.#toolOf(toolName)?.traits.effect === "read");
  }

  get #hasUnwritten(): boolean {
    return this.#pending.length > 0 || this.#journal.length > 0;
  }

  /** True for events before the model request that need no commit. */
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
    const { store, clock, subagents } = this.#options;
    const recordWritten = this.#requests.recordWriting();
    const commit = { entries, journal, requests, timestampMs: clock.now() };
    const spawns = subagents.take(turn.id, entries);
    const { entries: written, inputs } =
      spawns.length === 0
        ? { entries: await store.appendToTurn(turn.id, commit), inputs: [] }
        : await store.appendSpawns(turn.id, { ...commit, spawns });
    recordWritten(written);
    if (spawns.length > 0) this.#options.crashPoint?.("after-spawn");
    await subagents.onStarted(spawns, inputs);
    this.#options.cache.append(turn.sessionId, written);
    for (const entry of written) publishEntry(this.#options, facts.sessionKey, entry, turn.id);
  }

  /** Completed and uncommitted entries, for the final commit. */
  takePending(): readonly TranscriptBody[] {
    const { model } = this.#prepared;
    const entries = [...this.#pending, ...this.#external.takeUnfinished(model.client.info, this.#options.clock.now())];
    this.#pending = [];
    return entries;
  }

  /** Uncommitted requests of an ended run, for the final commit. */
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
    // Keyed by the answer's number: an answer lost in a crash is requested again, and its thoughts are shown again.
    const rows = planThoughts(turn, thoughts, { key: this.#earlierTexts.length, nowMs: clock.now(), suppressed }, this.#options);
    if (rows.length > 0) dispatcher.dispatch(await store.addOutbound(rows, { turnId: turn.id }));
  }

  #toolOf(name: string): AgentTool | undefined {
    const { tools, deferred } = this.#prepared.request;
    return [...tools, ...deferred].find((tool) => tool.name === name);
  }

  /** Sends a line about a tool call to the chat, if requested. Unattended runs send none, since they may end silently. */
  async #sendToolLine(line: ToolLine): Promise<void> {
    const { turn, display } = this.#prepared;
    if (display.verbose === "off" || !RUN_POLICY[turn.kind].showsProgress) return;
    const { store, clock, dispatcher } = this.#options;
    const suppressed = await isSuppressed(turn, this.#options);
    const rows = planToolLine(turn, line, { nowMs: clock.now(), suppressed }, this.#options);
    if (rows.length > 0) dispatcher.dispatch(await store.addOutbound(rows, { turnId: turn.id }));
  }

  async #sendToolEnd({ call, result }: Extract<AgentEvent, { type: "tool-end" }>): Promise<void> {
    if (this.#prepared.display.verbose === "full") await this.#sendToolLine({ type: "end", call, result });
  }

  #show(event: ModelStreamEvent): void {
    const { turn, facts } = this.#prepared;
    const { events } = this.#options;
    switch (event.type) {
      case "message-start":
        // Without blocks there is nothing to withdraw: this is the first try.
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
        this.#wasWatched ||= event.type === "text-delta" && events.isWatched(facts.sessionKey);
        return events.publish(facts.sessionKey, { type: "block-delta", runId: turn.id, text: event.text });
      default:
        return;
    }
  }
}

/** True for unattended runs, whose thoughts are shown with the answer or not at all, since they may end silently. */
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
