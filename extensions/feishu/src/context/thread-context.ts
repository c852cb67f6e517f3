import { messageId } from "@factotum/channel-contract";
import type { CallOptions, ChannelHost, ForwardedMessage, HistoryMessage, MsgContext, ThreadContext } from "@factotum/channel-contract";
import { KnownThreads } from "../inbound/known-threads.ts";
import { FORWARDED_NOTE } from "../inbound/parse-note.ts";
import { THREAD_MESSAGES } from "./lookups.ts";
import type { Lookups } from "./lookups.ts";
import { identityOf } from "./message-item.ts";
import type { FetchedMessage } from "./message-item.ts";

const MAX_FORWARDED_CHARS = 8_000;

/** Reads the messages around a message. Never rejects; `undefined` if there are none, or they cannot be read. */
export interface ThreadReader {
  /** Only for the first message of a thread that addresses the bot. */
  thread(message: MsgContext, options: CallOptions): Promise<ThreadContext | undefined>;
  forwarded(message: MsgContext, options: CallOptions): Promise<ForwardedMessage | undefined>;
}

/** Makes the reader; `authorOf` gives a name or an id for display. */
export function createThreadReader(
  parts: Pick<Lookups, "quotes" | "threads" | "forwards"> & {
    readonly authorOf: (message: FetchedMessage, chatId: string | undefined, options: CallOptions) => Promise<string>;
    readonly host: Pick<ChannelHost, "state" | "clock">;
  },
): ThreadReader {
  const { quotes, threads, forwards, authorOf, host } = parts;
  const knownThreads = new KnownThreads(host);
  /** Only groups list their members. */
  const groupOf = ({ origin: { conversation } }: MsgContext): string | undefined =>
    conversation.kind === "direct" ? undefined : conversation.id;
  return {
    async thread(message, options) {
      const { id, threadId } = message.origin.conversation;
      if (threadId === undefined || !(await knownThreads.isFirst(message))) return undefined;
      const [root, replies = []] = await Promise.all([quotes.get(threadId, options), threads.get(`${id}/${threadId}`, options)]);
      const earlier = replies.filter((reply) => reply.id !== threadId && reply.id !== message.messageId).slice(-THREAD_MESSAGES);
      if (root === undefined && earlier.length === 0) return undefined;
      const toHistory = async (reply: FetchedMessage): Promise<HistoryMessage> => ({
        ...identityOf(reply),
        sender: await authorOf(reply, groupOf(message), options),
        timestampMs: reply.timestampMs,
        body: reply.text,
      });
      const history = await Promise.all(earlier.map(toHistory));
      return {
        ...(root !== undefined && {
          starter: { messageId: messageId(root.id), sender: await authorOf(root, groupOf(message), options), body: root.text },
        }),
        ...(history.length > 0 && { history }),
      };
    },
    async forwarded(message, options) {
      if (message.text !== FORWARDED_NOTE) return undefined;
      const inside = (await forwards.get(message.messageId, options)) ?? [];
      if (inside.length === 0) return undefined;
      const lines = await Promise.all(inside.map(async (one) => `${await authorOf(one, groupOf(message), options)}: ${one.text}`));
      const body = lines.join("\n");
      return { body: body.length <= MAX_FORWARDED_CHARS ? body : `${body.slice(0, MAX_FORWARDED_CHARS).toWellFormed()}…` };
    },
  };
}
