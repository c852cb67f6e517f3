import { randomBytes } from "node:crypto";
import { chatIdOf } from "./app.ts";
import type { FakeFeishuApp } from "./app.ts";
import { invalid } from "./message-rules.ts";
import { FeishuRefusal } from "./refusal.ts";

/** A message that the bot sent. */
export interface SentMessage {
  readonly messageId: string;
  readonly receiveId: string;
  readonly messageType: string;
  /** The parsed content. */
  readonly content: unknown;
  readonly uuid?: string;
  /** The message that was replied to. */
  readonly parentId?: string;
  readonly replyInThread: boolean;
  /** The one person who sees it. */
  readonly onlyFor?: string;
  readonly threadId?: string;
  readonly atMs: number;
  readonly deleted: boolean;
  readonly edits: number;
  readonly reactions: readonly { readonly reactionId: string; readonly emoji: string }[];
}

/** A message of a person. */
export interface InboundMessage {
  readonly messageId: string;
  readonly chatId: string;
  readonly threadId?: string;
  readonly rootId?: string;
  /** The forwarded message that contains it: such a message is in no chat. */
  readonly upperMessageId?: string;
  /** Sent before the bot joined: it is not listed. */
  readonly isUnlisted?: boolean;
  readonly senderOpenId?: string;
  readonly atMs?: number;
  readonly messageType?: string;
  /** The platform's content object, before it is serialised. */
  readonly content?: unknown;
  /** People whom it mentions. */
  readonly mentions?: readonly { readonly key: string; readonly openId: string; readonly name: string }[];
}

const UUID_WINDOW_MS = 60 * 60_000;

/** The messages of the chats. */
export class MessageStore {
  readonly #app: FakeFeishuApp;
  readonly #sent: SentMessage[] = [];
  /** The index in `#sent` of each message, by its id, and of the newest one for a uuid and a target: a long run has tens of thousands. */
  readonly #places = new Map<string, number>();
  readonly #newest = new Map<string, number>();
  readonly #inbound = new Map<string, InboundMessage & { readonly atMs: number; reactions: { reactionId: string; emoji: string }[] }>();

  constructor(app: FakeFeishuApp) {
    this.#app = app;
  }

  get all(): readonly SentMessage[] {
    return this.#sent;
  }

  addInbound(message: InboundMessage): void {
    this.#inbound.set(message.messageId, { atMs: this.#app.now(), ...message, reactions: [] });
  }

  /** A message of a person. */
  inbound(messageId: string): InboundMessage | undefined {
    return this.#inbound.get(messageId);
  }

  /** The thread of a reply. One is opened at a message that has none; its first message belongs to it from then on. */
  threadOf(parentId: string | undefined, inThread: boolean): { readonly threadId?: string } {
    if (parentId === undefined || !inThread) return {};
    const [inbound, sent] = [this.#inbound.get(parentId), this.find(parentId)];
    const threadId = inbound?.threadId ?? sent?.threadId ?? `omt_${parentId.replace(/^om_/, "")}`;
    if (inbound !== undefined) this.#inbound.set(parentId, { ...inbound, threadId });
    this.replace(parentId, { threadId });
    return { threadId };
  }

  /** Messages of people, oldest first. */
  get inbounds(): readonly (InboundMessage & { readonly atMs: number })[] {
    return [...this.#inbound.values()];
  }

  /** The chat of a message of any sender. */
  chatOf(messageId: string): string | undefined {
    const sent = this.find(messageId);
    return this.#inbound.get(messageId)?.chatId ?? (sent === undefined ? undefined : chatIdOf(sent.receiveId));
  }

  find(messageId: string): SentMessage | undefined {
    return this.#sent[this.#places.get(messageId) ?? -1];
  }

  /** A message of the bot that can be changed. Throws the platform's refusal for any other. */
  own(messageId: string): SentMessage {
    const message = this.find(messageId);
    if (message === undefined)
      throw this.chatOf(messageId) === undefined
        ? invalid("invalid message_id")
        : new FeishuRefusal(230071, "The operator is not the sender.");
    if (message.deleted) throw new FeishuRefusal(230011, "The message was recalled.");
    return message;
  }

  /** The message sent to the same target with the same uuid within the hour. */
  duplicateOf(uuid: string, receiveId: string): SentMessage | undefined {
    const newest = this.#sent[this.#newest.get(uuidKey(uuid, receiveId)) ?? -1];
    return newest !== undefined && this.#app.now() - newest.atMs < UUID_WINDOW_MS ? newest : undefined;
  }

  add(message: Omit<SentMessage, "messageId" | "atMs" | "deleted" | "edits" | "reactions">): SentMessage {
    const stored: SentMessage = {
      ...message,
      messageId: `om_${randomBytes(16).toString("hex")}`,
      atMs: this.#app.now(),
      deleted: false,
      edits: 0,
      reactions: [],
    };
    const place = this.#sent.push(stored) - 1;
    this.#places.set(stored.messageId, place);
    if (stored.uuid !== undefined) this.#newest.set(uuidKey(stored.uuid, stored.receiveId), place);
    return stored;
  }

  replace(messageId: string, change: Partial<SentMessage>): void {
    const place = this.#places.get(messageId) ?? -1;
    const before = this.#sent[place];
    if (before !== undefined) this.#sent[place] = { ...before, ...change };
  }

  /** Reactions to any message, including a person's. */
  reactionsOf(messageId: string): { reactionId: string; emoji: string }[] | undefined {
    const inbound = this.#inbound.get(messageId);
    if (inbound !== undefined) return inbound.reactions;
    const sent = this.find(messageId);
    if (sent === undefined || sent.deleted) return undefined;
    const reactions = [...sent.reactions];
    this.replace(messageId, { reactions });
    return reactions;
  }
}

function uuidKey(uuid: string, receiveId: string): string {
  return JSON.stringify([uuid, receiveId]);
}
