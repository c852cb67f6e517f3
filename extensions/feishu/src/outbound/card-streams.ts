import type { CallOptions, ChannelHost, MessageId, Origin, Outbound } from "@factotum/channel-contract";
import { PlatformFailure } from "@factotum/channel-kit";
import * as z from "zod";
import type { FeishuApi } from "../api/feishu-api.ts";
import { renderMarkdown } from "./render-text.ts";
import type { MessageApi } from "./message-api.ts";

/** A card that shows a growing answer, stored so that it can be finished after a restart. */
interface StoredStream {
  readonly cardId: string;
  /** Milliseconds since the epoch; sequence numbers count from here. */
  readonly createdAtMs: number;
}

type StreamStep = Extract<Outbound, { type: "stream" }>;

const ELEMENT = "answer";
const PREFIX = "stream/";
/** The platform forgets the card after that. */
const LIFE_MS = 14 * 24 * 60 * 60_000;
/** 14 days in these units are far below the platform's limit of 2^31. */
const SEQUENCE_UNIT_MS = 10;
const SUMMARY_CHARS = 100;
const CreatedSchema = z.looseObject({ data: z.looseObject({ card_id: z.string().min(1) }) });
const StoredSchema: z.ZodType<StoredStream> = z.object({ cardId: z.string(), createdAtMs: z.number() });

/** Native streaming: cards in the platform's streaming mode. Every method rejects with a PlatformFailure. */
export class CardStreams {
  readonly #api: FeishuApi;
  readonly #messages: MessageApi;
  readonly #host: Pick<ChannelHost, "state" | "clock">;
  /** The last sequence number of each card of this process. */
  readonly #sequences = new Map<string, number>();

  constructor(api: FeishuApi, messages: MessageApi, host: Pick<ChannelHost, "state" | "clock">) {
    this.#api = api;
    this.#messages = messages;
    this.#host = host;
  }

  /** Shows one step; resolves with the message. */
  async step(
    step: { readonly target: Origin; readonly outbound: StreamStep; readonly uuid: string },
    options: CallOptions,
  ): Promise<MessageId> {
    const { outbound } = step;
    const text = renderMarkdown(outbound.text);
    const { targetId } = outbound;
    if (targetId === undefined) {
      const shown = await this.#begin(step, text, options);
      if (outbound.isLast) await this.#close(shown.stream, text, options);
      return shown.messageId;
    }
    const stream = await this.#stored(targetId);
    if (stream === undefined) throw new PlatformFailure({ type: "local" }, "the message is not a streamed answer");
    await this.#show(stream, text, options);
    if (outbound.isLast) await this.#close(stream, text, options);
    return targetId;
  }

  /**
   * Repeats the first step of an earlier process as a complete answer: the platform may have it under the same uuid. `undefined` if that process did not get
   * as far as a card.
   */
  async resume(
    step: { readonly target: Origin; readonly outbound: Extract<Outbound, { type: "text" }>; readonly uuid: string },
    options: CallOptions,
  ): Promise<MessageId | undefined> {
    const stream = await this.#stored(step.uuid);
    if (stream === undefined) return undefined;
    const messageId = await this.#send(step, stream, options);
    await this.#complete(stream, step.outbound.text, options);
    return messageId;
  }

  /** Replaces the text of a streamed answer and completes it; false if the message is not one. */
  async finish(messageId: MessageId, markdown: string, options: CallOptions): Promise<boolean> {
    const stream = await this.#stored(messageId);
    if (stream === undefined) return false;
    await this.#complete(stream, markdown, options);
    return true;
  }

  async #complete(stream: StoredStream, markdown: string, options: CallOptions): Promise<void> {
    const text = renderMarkdown(markdown);
    // Complete or not, the text can be shown only while the card is open.
    await this.#settings(stream, { streaming_mode: true }, options);
    await this.#show(stream, text, options);
    await this.#close(stream, text, options);
  }

  async #begin(
    step: { readonly target: Origin; readonly outbound: StreamStep; readonly uuid: string },
    text: string,
    options: CallOptions,
  ): Promise<{ readonly messageId: MessageId; readonly stream: StoredStream }> {
    // A repeated send must show the same card: the platform returns the first message for its uuid.
    const stream = (await this.#stored(step.uuid)) ?? (await this.#create(step.uuid, text, options));
    return { messageId: await this.#send(step, stream, options), stream };
  }

  async #send(
    { target, outbound, uuid }: { readonly target: Origin; readonly outbound: Pick<StreamStep, "replyTo">; readonly uuid: string },
    stream: StoredStream,
    options: CallOptions,
  ): Promise<MessageId> {
    const content = JSON.stringify({ type: "card", data: { card_id: stream.cardId } });
    const body = { msg_type: "interactive", content } as const;
    const messageId = await this.#messages.send({ target, body, uuid, replyTo: outbound.replyTo }, options);
    await this.#store(messageId, stream);
    return messageId;
  }

  async #create(uuid: string, text: string, options: CallOptions): Promise<StoredStream> {
    const card = {
      schema: "2.0",
      config: { streaming_mode: true, update_multi: true },
      body: { elements: [{ tag: "markdown", content: text, element_id: ELEMENT }] },
    };
    const data = { type: "card_json", data: JSON.stringify(card) };
    const created = CreatedSchema.safeParse(await this.#beforeShown({ method: "POST", path: "/cardkit/v1/cards", data }, options));
    if (!created.success) throw new PlatformFailure({ type: "not-sent" }, "the answer names no card", { cause: created.error });
    const stream = { cardId: created.data.data.card_id, createdAtMs: this.#host.clock.now() };
    await this.#store(uuid, stream);
    return stream;
  }

  /** Nothing is shown by a card without a message, so a lost answer is not ambiguous. */
  async #beforeShown(call: Parameters<FeishuApi["call"]>[0], options: CallOptions): Promise<unknown> {
    return this.#api.call(call, options).catch((error: unknown) => {
      if (!(error instanceof PlatformFailure) || error.reason.type !== "no-answer") throw error;
      throw new PlatformFailure({ type: "not-sent" }, error.message, { cause: error });
    });
  }

  async #show(stream: StoredStream, content: string, options: CallOptions): Promise<void> {
    const path = `/cardkit/v1/cards/${encodeURIComponent(stream.cardId)}/elements/${ELEMENT}/content`;
    await this.#api.call({ method: "PUT", path, data: { content, sequence: this.#next(stream) } }, options);
  }

  async #close(stream: StoredStream, text: string, options: CallOptions): Promise<void> {
    // Without a summary the list of chats would go on showing that the answer is being generated.
    const content = text.replace(/\s+/g, " ").slice(0, SUMMARY_CHARS).toWellFormed();
    await this.#settings(stream, { streaming_mode: false, summary: { content } }, options);
  }

  async #settings(stream: StoredStream, config: object, options: CallOptions): Promise<void> {
    const path = `/cardkit/v1/cards/${encodeURIComponent(stream.cardId)}/settings`;
    const data = { settings: JSON.stringify({ config }), sequence: this.#next(stream) };
    await this.#api.call({ method: "PATCH", path, data }, options);
  }

  /** Strictly rising, also over a restart: by the time since the card was made, and by one where that is too little. */
  #next({ cardId, createdAtMs }: StoredStream): number {
    const byTime = Math.floor((this.#host.clock.now() - createdAtMs) / SEQUENCE_UNIT_MS) + 1;
    const next = Math.max(byTime, (this.#sequences.get(cardId) ?? 0) + 1);
    this.#sequences.set(cardId, next);
    if (this.#sequences.size > 200) for (const oldest of [...this.#sequences.keys()].slice(0, 100)) this.#sequences.delete(oldest);
    return next;
  }

  async #stored(key: string): Promise<StoredStream | undefined> {
    const row = await this.#host.state.get(PREFIX + key);
    return row?.type === "json" ? StoredSchema.safeParse(row.json).data : undefined;
  }

  async #store(key: string, stream: StoredStream): Promise<void> {
    await this.#host.state.set(PREFIX + key, { type: "json", json: stream }, { expiresAtMs: stream.createdAtMs + LIFE_MS });
  }
}
