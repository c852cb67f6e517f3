import { messageId } from "@factotum/channel-contract";
import type { CallOptions, ChannelHealth, ChannelHost, MessageContext, MsgContext, QuotedMessage } from "@factotum/channel-contract";
import type { FeishuBot } from "../api/bot-identity.ts";
import { createLookupApi } from "./lookup-api.ts";
import type { MessagePlace } from "./lookup-api.ts";
import { createLookups } from "./lookups.ts";
import type { FetchedMessage } from "./message-item.ts";
import type { MessageReads } from "./message-reads.ts";
import type { ReadApi } from "./read-api.ts";
import { createThreadReader } from "./thread-context.ts";

/** How soon a group is queried again about a sender who is not in its list: a new member. */
const NEW_MEMBER_MS = 60_000;

/** Adds context that the platform's events lack. */
export interface MessageContextReader {
  /** As `Channel.fetchContext`. */
  fetch(message: MsgContext, options: CallOptions): Promise<MessageContext>;
  /** Chat and author of a message; `undefined` if they cannot be read. Never rejects. */
  placeOf(messageId: string, options: CallOptions): Promise<MessagePlace | undefined>;
  /** A message; `undefined` if it cannot be read. Never rejects. */
  messageOf(messageId: string, options: CallOptions): Promise<FetchedMessage | undefined>;
  /** Names of a group's members by open id; empty if they cannot be read. Never rejects. */
  memberNames(chatId: string, options: CallOptions): Promise<ReadonlyMap<string, string>>;
  /** The name of a message's author in a group, or the id. Never rejects. */
  authorOf(message: FetchedMessage, chatId: string | undefined, options: CallOptions): Promise<string>;
  /** The health with missing permissions in its detail. The state stays: messages arrive. */
  addTo(health: ChannelHealth): ChannelHealth;
}

/** Makes the reader of one account; `signal` ends its requests. */
export function createMessageContextReader(
  parts: { readonly read: ReadApi; readonly messages: MessageReads; readonly appId: string; readonly bot: FeishuBot },
  host: Pick<ChannelHost, "clock" | "logger" | "state">,
  { signal }: CallOptions,
): MessageContextReader {
  const { bot } = parts;
  const asks = createLookupApi(parts, parts.appId);
  const { members, subjects, quotes, places, threads, forwards } = createLookups(asks, { host, signal });
  const nameOf = async (chatId: string, openId: string, options: CallOptions): Promise<string | undefined> => {
    const known = (await members.get(chatId, options))?.get(openId);
    return known ?? (await members.get(chatId, { ...options, maxAgeMs: NEW_MEMBER_MS }))?.get(openId);
  };
  const quoteOf = async (id: string, chatId: string | undefined, options: CallOptions): Promise<QuotedMessage | undefined> => {
    const quoted = await quotes.get(id, options);
    if (quoted === undefined) return undefined;
    const { senderId, isSelf, text, mentions } = quoted;
    const name = isSelf
      ? (await bot.getForEvent(options).catch(() => undefined))?.name
      : chatId && (await nameOf(chatId, senderId, options));
    return {
      messageId: messageId(id),
      sender: { id: senderId, isSelf, ...(name ? { name } : {}) },
      body: text,
      ...(mentions.length > 0 && { mentions }),
      isQuote: false,
    };
  };

  const authorOf = async ({ senderId, isSelf }: FetchedMessage, chatId: string | undefined, options: CallOptions): Promise<string> => {
    if (isSelf) return (await bot.getForEvent(options).catch(() => undefined))?.name || senderId;
    return (chatId === undefined ? undefined : await nameOf(chatId, senderId, options)) ?? senderId;
  };
  const surroundings = createThreadReader({ quotes, threads, forwards, authorOf, host });

  return {
    async fetch(message, options) {
      const { origin, sender, replyTo } = message;
      const { kind, id } = origin.conversation;
      const chatId = kind === "direct" ? undefined : id;
      const quotedId = replyTo?.messageId;
      const [senderName, subject, quoted, thread, forwarded] = await Promise.all([
        chatId === undefined || sender.isBot ? undefined : nameOf(chatId, sender.id, options),
        chatId === undefined ? undefined : subjects.get(chatId, options),
        quotedId === undefined ? undefined : quoteOf(quotedId, chatId, options),
        surroundings.thread(message, options),
        surroundings.forwarded(message, options),
      ]);
      return {
        ...(senderName ? { senderName } : {}),
        ...(subject ? { group: { subject } } : {}),
        ...(quoted !== undefined && { replyTo: quoted }),
        ...(thread !== undefined && { thread }),
        ...(forwarded !== undefined && { forwarded }),
      };
    },
    placeOf: async (id, options) => places.get(id, options),
    messageOf: async (id, options) => quotes.get(id, options),
    memberNames: async (chatId, options) => (await members.get(chatId, options)) ?? new Map(),
    authorOf,
    addTo(health) {
      if (health.state === "stopped") return health;
      const problems = [members, subjects, quotes, places, threads, forwards].flatMap(({ problem }) => problem ?? []);
      if (problems.length === 0) return health;
      return { ...health, detail: [...(health.detail === undefined ? [] : [health.detail]), ...problems].join("; ") };
    },
  };
}
