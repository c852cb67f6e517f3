import { messageId as toMessageId } from "@factotum/channel-contract";
import type { CallOptions, ChannelHealth, MessageContext, MsgContext, ThreadContext } from "@factotum/channel-contract";
import type { SlackBot } from "../api/bot-identity.ts";
import type { SlackApi } from "../api/slack-api.ts";
import { isOwn } from "../inbound/parse-message.ts";
import { bodyOf, namesIn, toHistory } from "./history.ts";
import type { Lookups } from "./lookups.ts";
import { readMessages } from "./read-messages.ts";

/** Messages of a thread that are shown when the bot is first addressed in it. */
const THREAD_MESSAGES = 20;

/** Adds context that the platform's events lack. */
export interface MessageContextReader {
  /** As `Channel.fetchContext`. */
  fetch(message: MsgContext, options: CallOptions): Promise<MessageContext>;
  /** The health with missing permissions in its detail. The state stays: messages arrive. */
  addTo(health: ChannelHealth): ChannelHealth;
}

/** Creates the reader of one account. */
export function createMessageContextReader(parts: {
  readonly api: SlackApi;
  readonly bot: SlackBot;
  readonly lookups: Lookups;
}): MessageContextReader {
  const { api, bot, lookups } = parts;
  const groupOf = async ({ kind, id }: MsgContext["origin"]["conversation"], options: CallOptions): Promise<MsgContext["group"]> => {
    if (kind === "direct") return undefined;
    const info = await lookups.conversations.get(id, options);
    if (info === undefined || info.name === "") return undefined;
    return { subject: info.isGroup ? info.name : `#${info.name}`, ...(info.topic !== "" && { topic: info.topic }) };
  };
  /** A thread in which the bot has written is in its session already. */
  const threadOf = async ({ origin, messageId }: MsgContext, options: CallOptions): Promise<ThreadContext | undefined> => {
    const { id: channel, threadId: threadTs } = origin.conversation;
    if (threadTs === undefined) return undefined;
    const self = await bot.get(options);
    const messages = await readMessages(api, { channel, threadTs, limit: 200, before: messageId }, options);
    const earlier = messages.filter(({ ts }) => Number(ts) < Number(messageId));
    if (earlier.some((message) => message.ts !== threadTs && isOwn(message, self))) return undefined;
    const starter = earlier.find(({ ts }) => ts === threadTs);
    const rest = earlier.filter(({ ts }) => ts !== threadTs).slice(-THREAD_MESSAGES);
    const names = await namesIn([...(starter === undefined ? [] : [starter]), ...rest], lookups, options);
    const sender = starter === undefined ? undefined : names.get(starter.user ?? "");
    return {
      ...(starter !== undefined && {
        starter: {
          messageId: toMessageId(starter.ts),
          ...(sender !== undefined && { sender }),
          body: bodyOf(starter, { bot: self, names }),
        },
      }),
      ...(rest.length > 0 && { history: toHistory(rest, { bot: self, names }) }),
    };
  };

  return {
    async fetch(message, options) {
      const { origin, sender } = message;
      const [senderName, group, thread] = await Promise.all([
        sender.isBot ? undefined : lookups.people.get(sender.id, options),
        groupOf(origin.conversation, options),
        threadOf(message, options).catch(() => undefined),
      ]);
      return {
        ...(senderName !== undefined && { senderName }),
        ...(group !== undefined && { group }),
        ...(thread === undefined || Object.keys(thread).length === 0 ? {} : { thread }),
      };
    },
    addTo(health) {
      if (health.state === "stopped") return health;
      const problems = [lookups.people, lookups.conversations, lookups.threads].flatMap(({ problem }) => problem ?? []);
      if (problems.length === 0) return health;
      return { ...health, detail: [...(health.detail === undefined ? [] : [health.detail]), ...problems].join("; ") };
    },
  };
}
