import { withoutUndefined } from "@factotum/agent-contract";
import type { ModelStreamEvent, ToolCall, Clock, Logger } from "@factotum/agent-contract";
import type { Channel, MessageId, Outbound, SendReceipt } from "@factotum/channel-contract";
import type { ChunkLimits } from "@factotum/channel-kit";
import type { InboxStore, OutboxRecord, OutboxStore, SessionStore, TurnRecord, TurnStore } from "@factotum/store";
import type { CrashPointHook } from "../../kernel/crash-point.ts";
import type { Dispatcher } from "../dispatcher.ts";
import type { RunningConfig } from "../../agents/running-config.ts";
import { sendKey } from "../../kernel/idempotency-key.ts";
import { isSuppressed } from "../is-suppressed.ts";
import { readReplyContext } from "../reply-context.ts";
import { knownTarget, replyToOf } from "../reply-to.ts";
import type { IsKnownMessage, ReplyPlace } from "../reply-to.ts";
import { AnswerText } from "./answer-text.ts";
import { previewKey, undamaged } from "./left-preview.ts";
import { PreviewPace } from "./preview-pace.ts";
import { previewText, progressLine, progressText } from "./preview-text.ts";
import type { PreviewMode, PreviewText } from "./preview-text.ts";
import type { ReplyStream, StreamedPreview } from "./reply-stream.ts";

/** Milliseconds that a change of a preview may take, and that the final text waits for one on the wire. */
const SEND_TIMEOUT_MS = 5_000;
/** A preview that is later than this is useless. */
const PREVIEW_TTL_MS = 60_000;

/** Options for showing one turn's answer while it grows. */
export interface PreviewStreamOptions {
  readonly turn: TurnRecord;
  readonly channel: Channel;
  readonly mode: PreviewMode;
  readonly limits: ChunkLimits;
  readonly replyToMode: ReplyPlace["mode"];
  readonly isKnownMessage: IsKnownMessage;
  /** Completed answers of the turn. */
  readonly answersBefore: number;
  /** The turn was resumed: its message may exist already. */
  readonly isResumed: boolean;
  readonly sentTexts: () => readonly string[];
  readonly signal: AbortSignal;
  readonly parts: {
    readonly store: OutboxStore & SessionStore & Pick<InboxStore, "readInput"> & Pick<TurnStore, "readTurn">;
    readonly dispatcher: Dispatcher;
    readonly clock: Clock;
    readonly running: RunningConfig;
    readonly crashPoint?: CrashPointHook | undefined;
    readonly logger: Logger;
    readonly hideSecrets: (text: string) => string;
  };
}

/**
 * Shows an answer in one message that is edited while it grows, or grows by steps of the platform's own stream, at a limited rate. The message is an outbox
 * row; its edits are not, because the final row replaces the message's text whatever their outcome. A failing preview never affects the answer.
 */
export class PreviewStream implements ReplyStream {
  readonly #options: PreviewStreamOptions;
  readonly #pace: PreviewPace;
  #answer: number;
  #text: AnswerText | undefined;
  /** Index of the newest answer with text. */
  #worded = -1;
  readonly #tools: string[] = [];
  #row: OutboxRecord | undefined;
  /** The text of the message. */
  #shown: PreviewText & { readonly answer: number } = { answer: -1, text: "", end: 0 };
  /** Index of the newest answer whose text was sent, whatever the outcome. */
  #sent = -1;
  #isOff = false;
  /** The text that accepted steps of a native stream have had; `undefined` once the message can only be edited. */
  #streamed: string | undefined;
  #isOver = false;
  #hasLooked: boolean;
  #timer: Disposable | undefined;
  #onTheWire: Promise<void> | undefined;

  constructor(options: PreviewStreamOptions) {
    this.#options = options;
    this.#answer = options.answersBefore;
    this.#hasLooked = !options.isResumed;
    // Lines of progress replace each other.
    this.#streamed = options.channel.capabilities.streaming === "native" && options.mode !== "progress" ? "" : undefined;
    const { maxPerMessage, minIntervalMs } = options.channel.capabilities.edits ?? {};
    const limits = withoutUndefined({ minIntervalMs, maxPerMessage: this.#streamed === undefined ? maxPerMessage : undefined });
    this.#pace = new PreviewPace(limits, () => options.parts.clock.monotonic());
  }

  async push(event: ModelStreamEvent): Promise<void> {
    if (event.type !== "text-start" && event.type !== "text-delta") return;
    this.#text ??= new AnswerText({ unless: this.#options.sentTexts() });
    if (event.type === "text-start") return this.#text.beginBlock();
    if (this.#text.push(event.text) === "") return;
    this.#worded = this.#answer;
    if (this.#options.mode !== "progress") this.#schedule();
  }

  withdraw(): boolean {
    if (this.#sent === this.#answer) return false;
    this.#text = undefined;
    return true;
  }

  onToolStart(call: ToolCall): void {
    if (this.#options.mode !== "progress") return;
    this.#tools.push(this.#options.parts.hideSecrets(progressLine(call)));
    this.#schedule();
  }

  async endAnswer({ goesOn }: { readonly goesOn: boolean }): Promise<void> {
    if (goesOn) this.#nextAnswer();
  }

  async nextRequest(): Promise<void> {
    if (this.#text !== undefined) this.#nextAnswer();
  }

  async finish(): Promise<StreamedPreview> {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    await this.#onTheWire;
    await this.#look();
    const row = await this.#current();
    if (row?.state.type === "sending") await this.#leaveToDispatcher(row);
    const shown = this.#shown.answer === this.#worded ? this.#shown.end : 0;
    const streamed = this.#shown.answer === this.#worded ? this.#streamed : undefined;
    return { type: "preview", shown, ...withoutUndefined({ rowId: this.#row?.id, streamed }) };
  }

  #nextAnswer(): void {
    this.#text = undefined;
    this.#answer += 1;
  }

  #schedule(): void {
    if (this.#isOff || this.#isOver || this.#timer !== undefined || this.#onTheWire !== undefined) return;
    this.#timer = this.#options.parts.clock.schedule(this.#pace.delayMs(), () => {
      this.#timer = undefined;
      if (this.#isOver || this.#options.signal.aborted) return;
      this.#onTheWire = this.#update()
        .catch((error: unknown) => {
          this.#isOff = true;
          this.#options.parts.logger.warn("A preview is given up", { turnId: this.#options.turn.id, error });
        })
        .finally(() => {
          this.#onTheWire = undefined;
          // Text that has arrived meanwhile.
          if (!this.#isOver && this.#next() !== undefined) this.#schedule();
        });
    });
  }

  /** The next text of the message; `undefined` if it is unchanged. */
  #next(): PreviewText | undefined {
    const { mode, limits } = this.#options;
    const next =
      mode === "progress"
        ? this.#tools.length === 0
          ? undefined
          : { text: progressText(this.#tools), end: 0 }
        : previewText(this.#text?.visible ?? "", { mode, limits });
    return next === undefined || next.text === this.#shown.text ? undefined : next;
  }

  async #update(): Promise<void> {
    await this.#look();
    const next = this.#next();
    if (next === undefined || this.#isOff) return;
    const answer = this.#answer;
    if (next.end > 0) this.#sent = answer;
    const receipt = this.#row === undefined ? await this.#create(next, answer) : await this.#change(next);
    if (receipt === undefined) return;
    this.#pace.record(receipt);
    if (receipt.type === "accepted") this.#shown = { ...next, answer };
    if ((receipt.type === "rejected" && receipt.code !== "rate-limited") || this.#pace.isSpent) this.#isOff = true;
  }

  /** Finds the message of an earlier process. */
  async #look(): Promise<void> {
    if (this.#hasLooked) return;
    this.#hasLooked = true;
    const row = await undamaged(this.#options.parts.store.findOutbound(this.#key));
    if (row === undefined) return;
    this.#row = row;
    // What the platform has of an earlier process's stream is unknown.
    this.#streamed = undefined;
    this.#shown = { answer: row.covers?.answer ?? -1, text: row.outbound.text, end: row.covers?.end ?? 0 };
  }

  /** Sends the message. A failure is ignored, and only an ambiguous send is retried. */
  async #create(next: PreviewText, answer: number): Promise<SendReceipt | undefined> {
    const { turn, parts, replyToMode, isKnownMessage } = this.#options;
    const { store, dispatcher, clock, crashPoint } = parts;
    // Messages on their way to the chat go first.
    if (dispatcher.isBusy(turn.origin)) return undefined;
    if (await isSuppressed(turn, parts)) {
      this.#isOff = true;
      return undefined;
    }
    const asked = await knownTarget(this.#text?.replyTo ?? { type: "none" }, isKnownMessage);
    if (!this.#mayChange()) return undefined;
    const replyTo = replyToOf({
      turn,
      asked,
      mode: replyToMode,
      isFirstOfTurn: true,
      isFirstOfAnswer: true,
    });
    const outbound = { type: "text" as const, text: next.text, ...withoutUndefined({ replyTo }) };
    const [row] = await store.addOutbound(
      [
        {
          sessionKey: turn.sessionKey,
          target: turn.origin,
          outbound,
          purpose: "preview",
          idempotencyKey: this.#key,
          dueAtMs: clock.now(),
          expiresAtMs: clock.now() + PREVIEW_TTL_MS,
          covers: { answer, start: 0, end: next.end },
          state: "sending",
        },
      ],
      { turnId: turn.id },
    );
    if (row === undefined) return undefined;
    crashPoint?.("before-send");
    const receipt = await this.#send(row.idempotencyKey, this.#asStep(outbound));
    this.#recordStep(next.text, receipt);
    crashPoint?.("after-send");
    this.#row = await this.#settle(row, receipt);
    return receipt;
  }

  async #settle(row: OutboxRecord, receipt: SendReceipt): Promise<OutboxRecord> {
    const { store, clock } = this.#options.parts;
    // It may exist: the end of the turn finds out, under the same key.
    if (receipt.type === "ambiguous" && this.#options.channel.capabilities.idempotentSend !== undefined) {
      this.#isOff = true;
      return row;
    }
    const transition =
      receipt.type === "accepted" ? { type: "receipt" as const, receipt } : { type: "dropped" as const, reason: receipt.type };
    if (receipt.type !== "accepted") this.#isOff = true;
    return store.settleOutbound(row.id, transition, { nowMs: clock.now() });
  }

  async #leaveToDispatcher(row: OutboxRecord): Promise<void> {
    const { store, dispatcher, clock } = this.#options.parts;
    // The dispatcher has already handled an earlier process's row.
    if (dispatcher.holds(row.id)) return;
    const receipt: SendReceipt = { type: "ambiguous", cause: "it was not answered while the answer was written" };
    const nowMs = clock.now();
    dispatcher.dispatch([await store.settleOutbound(row.id, { type: "receipt", receipt, retryAtMs: nowMs }, { nowMs })]);
  }

  /** The current row; the dispatcher handles rows of an earlier process. */
  async #current(): Promise<OutboxRecord | undefined> {
    if (this.#row === undefined || this.#row.state.type === "accepted") return this.#row;
    return undamaged(this.#options.parts.store.readOutbound(this.#row.id));
  }

  async #change(next: PreviewText): Promise<SendReceipt | undefined> {
    const current = await this.#current();
    this.#row = current ?? this.#row;
    const targetId = current?.state.type === "accepted" ? current.state.messageIds[0] : undefined;
    if (targetId === undefined) {
      this.#isOff = current?.state.type !== "sending" && current?.state.type !== "waiting";
      return undefined;
    }
    const key = sendKey("turn", this.#options.turn.id, "preview", next.end, next.text);
    // A step can only add to what the platform has.
    if (this.#streamed !== undefined && !next.text.startsWith(this.#streamed)) this.#streamed = undefined;
    if (this.#streamed === undefined) {
      if (!this.#options.channel.capabilities.edit) this.#isOff = true;
      return this.#isOff || !this.#mayChange() ? undefined : this.#send(key, { type: "edit", targetId, text: next.text });
    }
    if (!this.#mayChange()) return undefined;
    const receipt = await this.#send(key, this.#asStep({ type: "text", text: next.text }, targetId));
    this.#recordStep(next.text, receipt);
    return receipt;
  }

  /** False if the account's rate does not allow a change: a later one shows its text too. After a move of the conversation there are no changes. */
  #mayChange(): boolean {
    const { parts, turn } = this.#options;
    if (parts.dispatcher.hasMoved(turn.origin)) this.#isOff = true;
    return !this.#isOff && parts.dispatcher.mayAlsoSend(turn.origin);
  }

  /** The next step of a native stream, or the message as it is. */
  #asStep(message: Extract<Outbound, { type: "text" }>, targetId?: MessageId): Outbound {
    if (this.#streamed === undefined) return message;
    const { text, replyTo } = message;
    return { type: "stream", text, added: text.slice(this.#streamed.length), isLast: false, ...withoutUndefined({ targetId, replyTo }) };
  }

  /** After a step that failed or got no answer, the message is only edited. */
  #recordStep(text: string, receipt: SendReceipt): void {
    const isKept = receipt.type === "accepted" || (receipt.type === "rejected" && receipt.code === "rate-limited");
    if (receipt.type === "accepted" && this.#streamed !== undefined) this.#streamed = text;
    if (!isKept) this.#streamed = undefined;
  }

  async #send(idempotencyKey: string, outbound: Outbound): Promise<SendReceipt> {
    const { channel, turn } = this.#options;
    const { store, clock } = this.#options.parts;
    const limit = new AbortController();
    using _timer = clock.schedule(SEND_TIMEOUT_MS, () => limit.abort());
    const row = { turnId: turn.id, inputIds: turn.inputIds, target: turn.origin };
    const replyContext =
      channel.capabilities.replyContext === true ? await readReplyContext(row, { store, nowMs: clock.now() }) : undefined;
    return channel.send(turn.origin, outbound, { idempotencyKey, signal: limit.signal, ...withoutUndefined({ replyContext }) });
  }

  get #key(): string {
    return previewKey(this.#options.turn.id);
  }
}
