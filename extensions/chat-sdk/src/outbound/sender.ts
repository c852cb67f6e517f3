import { messageId } from "@factotum/channel-contract";
import type {
  CallOptions,
  ChannelCapabilities,
  ChannelHost,
  Media,
  MessageId,
  Origin,
  Outbound,
  SendReceipt,
} from "@factotum/channel-contract";
import { createSendQueue, filesProblem, PlatformFailure, rejectedReceipt, sendInParts, textProblem } from "@factotum/channel-kit";
import type { CardRows, Sender } from "@factotum/channel-kit";
import type { Adapter, AdapterPostableMessage, RawMessage } from "chat";
import type { AdapterSession } from "../adapter/adapter-session.ts";
import { callAdapter } from "../adapter/call-adapter.ts";
import { loadSdk } from "../adapter/load-sdk.ts";
import { MIN_RENDERED_LENGTH } from "../capabilities.ts";
import { toThreadId } from "../conversation-id.ts";
import { toReceipt } from "../errors.ts";
import type { KnownAdapter } from "../known-adapters.ts";
import { cardText, renderCard } from "./render-card.ts";
import { renderedLength, renderParts } from "./render-text.ts";

/** What the sender needs. */
export interface SenderParts {
  readonly host: ChannelHost;
  readonly session: AdapterSession;
  readonly known: KnownAdapter | undefined;
  readonly buttons: CardRows;
  readonly capabilities: () => ChannelCapabilities;
}

/** Creates a sender: one send after the other in a conversation, conversations side by side. */
export function createSender(parts: SenderParts): Sender {
  const queue = createSendQueue(parts.host, { toReceipt });
  return {
    send: (target, outbound, { signal }) =>
      queue.run({ key: target.conversation.id, outbound, signal }, async (options) => {
        const refused = refusedOutbound(outbound, parts.capabilities());
        if (refused !== undefined) return refused;
        const adapter = await parts.session.ready(options);
        return new Send(parts, adapter, target, options).run(outbound);
      }),
    stop: (options) => queue.stop(options),
  };
}

/** What is not declared, or over a limit. */
function refusedOutbound(
  outbound: Outbound,
  { cardEdits, cards, delete: canDelete, edit, limits, media, reactions, text, typing }: ChannelCapabilities,
): SendReceipt | undefined {
  const can: Readonly<Record<Outbound["type"], boolean>> = {
    text: true,
    edit,
    delete: canDelete,
    reaction: reactions,
    typing,
    card: cards,
    "edit-card": cardEdits === true,
    media: media.length > 0,
    album: false,
    poll: false,
    stream: false,
  };
  if (!can[outbound.type]) return rejectedReceipt("rejected", `this adapter sends no ${outbound.type}`);
  if ("onlyFor" in outbound && outbound.onlyFor !== undefined)
    return rejectedReceipt("rejected", "this channel shows nothing to one person alone");
  if (outbound.type === "text" || outbound.type === "edit") return textProblem(outbound.text, { maxLength: text.maxLength });
  if (outbound.type === "media") {
    const { kind } = outbound.media;
    return filesProblem([outbound.media], { maxBytes: media.find((one) => one.kind === kind)?.maxBytes ?? 0 });
  }
  if (outbound.type === "card" || outbound.type === "edit-card") {
    const count = outbound.card.buttons?.length ?? 0;
    if (count > (limits?.buttonsPerCard ?? count)) return rejectedReceipt("too-long", `more than ${limits?.buttonsPerCard} buttons`);
  }
  return undefined;
}

class Send {
  readonly #parts: SenderParts;
  readonly #adapter: Adapter;
  readonly #target: Origin;
  readonly #options: CallOptions;

  constructor(parts: SenderParts, adapter: Adapter, target: Origin, options: CallOptions) {
    this.#parts = parts;
    this.#adapter = adapter;
    this.#target = target;
    this.#options = options;
  }

  async run(outbound: Outbound): Promise<SendReceipt> {
    switch (outbound.type) {
      case "text":
        return this.#sendTexts(outbound.text, outbound.replyTo);
      case "edit":
        return this.#change(outbound.targetId, await this.#oneMessage(outbound.text));
      case "card":
      case "edit-card":
        return this.#sendCard(outbound);
      case "media":
        return this.#sendFile(outbound);
      case "delete":
        await this.#call((adapter, threadId) => adapter.deleteMessage(threadId, outbound.targetId));
        return accepted(outbound.targetId);
      case "reaction":
        return this.#react(outbound);
      case "typing":
        await this.#call((adapter, threadId) => adapter.startTyping(threadId));
        return accepted();
      default:
        return rejectedReceipt("rejected", `this adapter sends no ${outbound.type}`);
    }
  }

  async #call<T>(call: (adapter: Adapter, threadId: string) => Promise<T>): Promise<T> {
    const { host, known } = this.#parts;
    return callAdapter(async () => call(this.#adapter, toThreadId(this.#target.conversation)), this.#options, { clock: host.clock, known });
  }

  async #post(message: AdapterPostableMessage, replyTo?: MessageId): Promise<MessageId> {
    const { id: channelId, threadId } = this.#target.conversation;
    return sentId(
      await this.#call((adapter, thread) => {
        if (replyTo !== undefined && adapter.reply !== undefined) return adapter.reply(thread, replyTo, message);
        const isTopLevel = threadId === undefined && adapter.postChannelMessage !== undefined;
        return isTopLevel
          ? (adapter.postChannelMessage?.(channelId, message) ?? adapter.postMessage(thread, message))
          : adapter.postMessage(thread, message);
      }),
    );
  }

  async #lengthOf(): Promise<(markdown: string) => number> {
    const sdk = await loadSdk();
    return (markdown) => renderedLength(markdown, this.#adapter, sdk);
  }

  async #sendTexts(text: string, replyTo?: MessageId): Promise<SendReceipt> {
    const parts = renderParts(text, { maxLength: this.#maxRendered, lengthOf: await this.#lengthOf() });
    return sendInParts(parts, {
      ...this.#options,
      clock: this.#parts.host.clock,
      send: (markdown, index) => this.#post({ markdown }, index === 0 ? replyTo : undefined),
    });
  }

  /** What rendering makes too long for one message is shown as it was written. */
  async #oneMessage(text: string): Promise<AdapterPostableMessage> {
    return (await this.#lengthOf())(text) > this.#maxRendered ? { raw: text } : { markdown: text };
  }

  async #change(targetId: MessageId, message: AdapterPostableMessage): Promise<SendReceipt> {
    try {
      await this.#call((adapter, threadId) => adapter.editMessage(threadId, targetId, message));
    } catch (error) {
      if (!(error instanceof PlatformFailure) || this.#parts.known?.unchanged.test(error.message) !== true) throw error;
    }
    return accepted(targetId);
  }

  async #sendCard(outbound: Extract<Outbound, { type: "card" | "edit-card" }>): Promise<SendReceipt> {
    const { card } = outbound;
    if ((await this.#lengthOf())(cardText(card)) > this.#maxRendered)
      return rejectedReceipt("too-long", "the card does not fit into one message");
    const ids = await this.#parts.buttons.keep(card);
    const element = renderCard(card, ids, this.#parts.capabilities().limits?.buttonLabelLength ?? 64);
    if (outbound.type === "edit-card") return this.#change(outbound.targetId, element);
    return accepted(await this.#post(element, outbound.replyTo));
  }

  async #sendFile({ caption = "", media, replyTo }: Extract<Outbound, { type: "media" }>): Promise<SendReceipt> {
    const { known } = this.#parts;
    const isBelow = (await this.#lengthOf())(caption) <= (known?.maxCaptionLength ?? 0);
    const files = known?.sendsMediaKinds === true ? { attachments: [toAttachment(media)] } : { files: [toFile(media)] };
    const id = await this.#post({ markdown: isBelow ? caption : "", ...files }, replyTo);
    if (isBelow || caption.trim() === "") return accepted(id);
    // A text that does not fit below the file follows it whole.
    const receipt = await this.#sendTexts(caption).catch(toReceipt);
    return receipt.type === "accepted"
      ? accepted(id, ...receipt.messageIds)
      : { type: "ambiguous", cause: "the file is shown, and its text is not" };
  }

  async #react({ emoji, removed, targetId }: Extract<Outbound, { type: "reaction" }>): Promise<SendReceipt> {
    const { defaultEmojiResolver } = await loadSdk();
    const value = defaultEmojiResolver.fromGChat(emoji);
    await this.#call((adapter, threadId) =>
      removed ? adapter.removeReaction(threadId, targetId, value) : adapter.addReaction(threadId, targetId, value),
    );
    return accepted(targetId);
  }

  get #maxRendered(): number {
    return this.#parts.known?.maxRenderedLength ?? MIN_RENDERED_LENGTH;
  }
}

function accepted(...messageIds: readonly MessageId[]): SendReceipt {
  return { type: "accepted", messageIds };
}

/** Without the id of the message nothing confirms that it is shown. */
function sentId(raw: RawMessage | undefined): MessageId {
  if (typeof raw?.id === "string" && raw.id !== "") return messageId(raw.id);
  throw new PlatformFailure({ type: "no-answer" }, "the adapter did not name the message that it sent");
}

function toAttachment({ bytes, fileName, kind, mimeType }: Media) {
  return { type: kind, data: Buffer.from(bytes), mimeType, name: fileName ?? "file" };
}

function toFile({ bytes, fileName, mimeType }: Media) {
  return { data: Buffer.from(bytes), filename: fileName ?? "file", mimeType };
}
