import { messageId } from "@factotum/channel-contract";
import type { CallOptions, ChannelHealth, ChannelHost, MessageContext, MsgContext, QuotedMessage } from "@factotum/channel-contract";
import type { BotIdentity } from "../api/bot-identity.ts";
import type { FeishuApi } from "../api/feishu-api.ts";
import { CachedLookup } from "./cached-lookup.ts";
import type { LookupOptions } from "./cached-lookup.ts";
import { createLookupApi } from "./lookup-api.ts";
import type { LookupApi, MessagePlace } from "./lookup-api.ts";

const HOUR_MS = 60 * 60_000;
const MESSAGE_SCOPE = "im:message:readonly";
const QUOTE_TTL_MS = 10 * 60_000;
/** How soon a group is queried again about a sender who is not in its list: a new member. */
const NEW_MEMBER_MS = 60_000;

/** Adds context that the platform's events lack. */
export interface MessageContextReader {
  /** As `Channel.fetchContext`. */
  fetch(message: MsgContext, options: CallOptions): Promise<MessageContext>;
  /** Chat and author of a message; `undefined` if they cannot be read. Never rejects. */
  placeOf(messageId: string, options: CallOptions): Promise<MessagePlace | undefined>;
  /** The health with missing permissions in its detail. The state stays: messages arrive. */
  addTo(health: ChannelHealth): ChannelHealth;
}

/** Makes the reader of one account; `signal` ends its requests. */
export function createMessageContextReader(
  parts: { readonly api: FeishuApi; readonly appId: string; readonly bot: BotIdentity },
  host: Pick<ChannelHost, "clock" | "logger">,
  { signal }: CallOptions,
): MessageContextReader {
  const { bot } = parts;
  const asks = createLookupApi(parts.api, parts.appId);
  const { members, subjects, quotes, places } = createLookups(asks, { host, signal });
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

  return {
    async fetch({ origin, sender, replyTo }, options) {
      const { kind, id } = origin.conversation;
      const chatId = kind === "direct" ? undefined : id;
      const quotedId = replyTo?.messageId;
      const [senderName, subject, quoted] = await Promise.all([
        chatId === undefined || sender.isBot ? undefined : nameOf(chatId, sender.id, options),
        chatId === undefined ? undefined : subjects.get(chatId, options),
        quotedId === undefined ? undefined : quoteOf(quotedId, chatId, options),
      ]);
      return {
        ...(senderName ? { senderName } : {}),
        ...(subject ? { group: { subject } } : {}),
        ...(quoted === undefined ? {} : { replyTo: quoted }),
      };
    },
    placeOf: async (id, options) => places.get(id, options),
    addTo(health) {
      if (health.state === "stopped") return health;
      const problems = [members, subjects, quotes, places].flatMap(({ problem }) => problem ?? []);
      if (problems.length === 0) return health;
      return { ...health, detail: [...(health.detail === undefined ? [] : [health.detail]), ...problems].join("; ") };
    },
  };
}

/** The lookups of the platform, each with the lifetime and number of cached answers. */
function createLookups(asks: LookupApi, common: Pick<LookupOptions<unknown>, "host" | "signal">) {
  return {
    members: new CachedLookup({
      ...common,
      what: "the names of people in groups",
      scope: "im:chat.members:read",
      ttlMs: HOUR_MS,
      maxEntries: 200,
      ask: asks.memberNames,
    }),
    subjects: new CachedLookup({
      ...common,
      what: "the names of groups",
      scope: "im:chat:read",
      ttlMs: HOUR_MS,
      maxEntries: 1_000,
      ask: asks.chatName,
    }),
    quotes: new CachedLookup({
      ...common,
      what: "messages that are replied to",
      scope: MESSAGE_SCOPE,
      ttlMs: QUOTE_TTL_MS,
      maxEntries: 200,
      ask: asks.message,
    }),
    places: new CachedLookup({
      ...common,
      what: "the messages that reactions and recalls are about",
      scope: MESSAGE_SCOPE,
      ttlMs: HOUR_MS,
      maxEntries: 500,
      ask: asks.place,
    }),
  };
}
