import { withoutUndefined } from "@factotum/agent-contract";
import type { ModelStreamEvent, Clock } from "@factotum/agent-contract";
import { chunkMarkdown, createMarkdownStream } from "@factotum/channel-kit";
import type { ChunkLimits, MarkdownStream } from "@factotum/channel-kit";
import { StoreError } from "@factotum/store";
import type { CoveredSpan, NewOutbound, OutboxRecord, OutboxStore, SessionStore, TurnRecord } from "@factotum/store";
import { LaneShutdown } from "../../kernel/lane-abort.ts";
import type { Dispatcher } from "../dispatcher.ts";
import type { RunningConfig } from "../../agents/running-config.ts";
import { sendKey } from "../../kernel/idempotency-key.ts";
import { isSuppressed } from "../is-suppressed.ts";
import { OUTBOX_TTL_MS } from "../retry-policy.ts";
import type { ReplyTarget } from "../reply-parser.ts";
import { knownTarget, replyToOf } from "../reply-to.ts";
import type { IsKnownMessage, ReplyPlace } from "../reply-to.ts";
import { AnswerText } from "./answer-text.ts";
import type { HumanPace } from "./human-pace.ts";
import type { ReplyStream, StreamedBlocks } from "./reply-stream.ts";

/** Options for sending one turn's answers in blocks. */
export interface BlockStreamOptions {
  readonly turn: TurnRecord;
  /** `text_end`: blocks are sent while the text is written. `message_end`: once it is complete. */
  readonly breaksAt: "text_end" | "message_end";
  readonly limits: ChunkLimits & Required<Pick<ChunkLimits, "minLength">>;
  /** Small blocks wait this long to be joined with the next one. */
  readonly idleMs: number;
  readonly pace: HumanPace;
  readonly replyToMode: ReplyPlace["mode"];
  readonly isKnownMessage: IsKnownMessage;
  /** Completed answers of the turn. */
  readonly answersBefore: number;
  /** The turn was resumed: it may have rows already. */
  readonly isResumed: boolean;
  /** Texts that the run has sent with a tool, which are not repeated. */
  readonly sentTexts: () => readonly string[];
  /** Fires when the run is stopped; nothing more is sent then. */
  readonly signal: AbortSignal;
  readonly parts: {
    readonly store: OutboxStore & SessionStore;
    readonly dispatcher: Dispatcher;
    readonly clock: Clock;
    readonly running: RunningConfig;
  };
}

/** The answer being written. */
interface OpenAnswer {
  /** Index of the answer in its turn, from 0. */
  readonly number: number;
  readonly text: AnswerText;
  chunks: MarkdownStream;
  /** Characters that have rows. */
  sent: number;
  /** Characters that may be sent. */
  ready: number;
  /** Number of the next row. */
  ordinal: number;
  /** True once the answer is complete. */
  isComplete: boolean;
  /** True once a row was begun. */
  isShown: boolean;
  isWithdrawn: boolean;
}

/**
 * Sends an answer block by block while it is written. Every block is an outbox row that records its answer and its offset: after a crash the answer is written
 * again, and the rows tell by offset what was sent already (R3, R18). Text without a row at the end is left to the final delivery.
 */
export class BlockStream implements ReplyStream {
  readonly #options: BlockStreamOptions;
  #answer: number;
  #open: OpenAnswer | undefined;
  #hasBegun = false;
  #timer: Disposable | undefined;
  #isOver = false;
  /** Serialises the work of events and timers. */
  #work: Promise<void> = Promise.resolve();

  constructor(options: BlockStreamOptions) {
    this.#options = options;
    this.#answer = options.answersBefore;
  }

  async push(event: ModelStreamEvent): Promise<void> {
    switch (event.type) {
      case "text-start":
        return this.#then(async () => (await this.#opened()).text.beginBlock());
      case "text-delta":
        return this.#then(async () => this.#take(await this.#opened(), event.text));
      case "text-end":
        return this.#then(async () => this.#endText());
      default:
        return undefined;
    }
  }

  withdraw(): boolean {
    const open = this.#open;
    if (open?.isShown === true) return false;
    if (open !== undefined) open.isWithdrawn = true;
    this.#timer?.[Symbol.dispose]();
    this.#open = undefined;
    return true;
  }

  onToolStart(): void {
    // Tool calls are shown by lines of their own.
  }

  async endAnswer({ goesOn }: { readonly goesOn: boolean }): Promise<void> {
    if (goesOn) await this.#then(async () => this.#close());
  }

  async nextRequest(): Promise<void> {
    if (this.#open !== undefined) await this.#then(async () => this.#close());
  }

  async finish(): Promise<StreamedBlocks> {
    this.#isOver = true;
    this.#timer?.[Symbol.dispose]();
    await this.#work;
    return {
      type: "blocks",
      covered: this.#open?.sent ?? 0,
      hasBegun: this.#hasBegun,
      nextDueMs: () => this.#options.pace.next(),
      chunk: this.#options.limits,
    };
  }

  async #then(work: () => Promise<void>): Promise<void> {
    this.#work = this.#work.then(work);
    return this.#work;
  }

  async #opened(): Promise<OpenAnswer> {
    this.#open ??= await this.#begin();
    return this.#open;
  }

  async #begin(): Promise<OpenAnswer> {
    const { limits, sentTexts, isResumed } = this.#options;
    const { sent, ordinal } = isResumed ? await this.#recover() : { sent: 0, ordinal: 0 };
    return {
      number: this.#answer,
      text: new AnswerText({ unless: sentTexts() }),
      chunks: createMarkdownStream({ ...limits, from: sent }),
      sent,
      ready: sent,
      ordinal,
      isComplete: false,
      isShown: sent > 0,
      isWithdrawn: false,
    };
  }

  /** What an earlier process's rows cover of this answer. */
  async #recover(): Promise<{ readonly sent: number; readonly ordinal: number }> {
    for (let answer = 0; answer < this.#answer && !this.#hasBegun; answer += 1) {
      const first = await this.#find(answer, 0);
      if (first !== undefined) this.#recordRow(first);
    }
    let sent = 0;
    let ordinal = 0;
    for (let row = await this.#find(this.#answer, ordinal); row !== undefined; row = await this.#find(this.#answer, ordinal)) {
      this.#recordRow(row);
      if (row !== "damaged") sent = Math.max(sent, row.covers?.end ?? 0);
      ordinal += 1;
    }
    return { sent, ordinal };
  }

  async #find(answer: number, ordinal: number): Promise<OutboxRecord | "damaged" | undefined> {
    try {
      return await this.#options.parts.store.findOutbound(this.#key(answer, ordinal));
    } catch (error) {
      if (StoreError.isInstance(error) && error.code === "damaged") return "damaged";
      throw error;
    }
  }

  #recordRow(row: OutboxRecord | "damaged"): void {
    this.#hasBegun = true;
    this.#options.pace.record(row === "damaged" ? this.#options.parts.clock.now() : row.dueAtMs);
  }

  async #take(open: OpenAnswer, piece: string): Promise<void> {
    const shown = open.text.push(piece);
    if (this.#options.breaksAt === "message_end" || shown === "") return;
    for (const { end } of open.chunks.push(shown)) await this.#offer(open, end);
  }

  async #endText(): Promise<void> {
    const open = this.#open;
    if (open === undefined || this.#options.breaksAt === "message_end") return;
    const { length } = open.text.visible;
    if (length <= open.ready) return;
    await this.#offer(open, length);
    // The next block starts here.
    open.chunks = createMarkdownStream({ ...this.#options.limits, from: length });
    open.chunks.push(open.text.visible);
  }

  /** Offers the text up to `end` for sending, joined with waiting text if both fit into one message. */
  async #offer(open: OpenAnswer, end: number): Promise<void> {
    if (open.ready > open.sent && this.#cut(open, end).length > 1) await this.#send(open, open.ready);
    open.ready = Math.max(open.ready, end);
    this.#timer?.[Symbol.dispose]();
    this.#timer = this.#options.parts.clock.schedule(this.#options.idleMs, () => {
      // The next caller gets the rejection.
      this.#then(async () => this.#send(open, open.ready)).catch(() => undefined);
    });
  }

  /** Sends the rest of an answer that is not the last one. */
  async #close(): Promise<void> {
    const open = this.#open;
    this.#open = undefined;
    this.#answer += 1;
    if (open === undefined) return;
    open.isComplete = true;
    const rest = open.text.end();
    const uncut = this.#options.breaksAt === "message_end" ? open.text.visible : rest;
    for (const { end } of [...open.chunks.push(uncut), ...open.chunks.end()]) await this.#offer(open, end);
    this.#timer?.[Symbol.dispose]();
    await this.#send(open, open.text.visible.length);
  }

  #cut(open: OpenAnswer, end: number): ReturnType<typeof chunkMarkdown> {
    return chunkMarkdown(open.text.visible.slice(0, end), { ...this.#options.limits, from: open.sent });
  }

  async #send(open: OpenAnswer, end: number): Promise<void> {
    if (this.#isStopped(open) || end <= open.sent) return;
    const parts = this.#cut(open, end);
    if (parts.length === 0) return;
    open.isShown = true;
    const { turn, parts: ports, isKnownMessage } = this.#options;
    const asked = await knownTarget(open.text.replyTo, isKnownMessage);
    const suppressed = await isSuppressed(turn, ports);
    const rows = parts.map((part, index) => {
      const covers = { answer: open.number, start: part.start, end: index === parts.length - 1 ? end : part.end };
      return this.#row(asked, { text: part.text, covers, suppressed, ordinal: open.ordinal + index });
    });
    ports.dispatcher.dispatch(await ports.store.addOutbound(rows, { turnId: turn.id }));
    open.sent = end;
    open.ready = Math.max(open.ready, end);
    open.ordinal += parts.length;
  }

  /** True if sending must stop. An answer that is complete at shutdown is stored and not requested again, so only this process can send the rest of it. */
  #isStopped({ isComplete, isWithdrawn }: OpenAnswer): boolean {
    const { signal } = this.#options;
    return this.#isOver || isWithdrawn || (signal.aborted && !(isComplete && signal.reason instanceof LaneShutdown));
  }

  #row(
    asked: ReplyTarget,
    part: { readonly text: string; readonly covers: CoveredSpan; readonly suppressed: boolean; readonly ordinal: number },
  ): NewOutbound {
    const { turn, replyToMode, pace, parts } = this.#options;
    const replyTo = replyToOf({
      turn,
      asked,
      mode: replyToMode,
      isFirstOfTurn: !this.#hasBegun,
      isFirstOfAnswer: part.ordinal === 0,
    });
    this.#hasBegun = true;
    return {
      sessionKey: turn.sessionKey,
      target: turn.origin,
      outbound: { type: "text", text: part.text, ...withoutUndefined({ replyTo }) },
      purpose: "reply",
      idempotencyKey: this.#key(part.covers.answer, part.ordinal),
      dueAtMs: pace.next(),
      expiresAtMs: parts.clock.now() + OUTBOX_TTL_MS,
      covers: part.covers,
      state: part.suppressed ? "suppressed" : "waiting",
    };
  }

  #key(answer: number, ordinal: number): string {
    return sendKey("turn", this.#options.turn.id, "block", answer, ordinal);
  }
}
