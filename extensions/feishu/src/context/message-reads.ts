import type { CallOptions } from "@factotum/channel-contract";
import { PlatformFailure } from "@factotum/channel-kit";
import * as z from "zod";
import { MessageItemSchema, readItem } from "./message-item.ts";
import type { FetchedMessage, MessageItem } from "./message-item.ts";
import type { ReadApi } from "./read-api.ts";

/** Of a conversation at most so many messages are looked through. */
const MAX_MESSAGE_PAGES = 4;
const MESSAGE_PAGE_SIZE = 50;

const MessageSchema = z.looseObject({ data: z.looseObject({ items: z.array(MessageItemSchema).min(1) }) });
const MessagesSchema = z.looseObject({
  data: z.looseObject({
    items: z.array(MessageItemSchema).default([]),
    page_token: z.string().optional(),
    has_more: z.boolean().optional(),
  }),
});

/** The platform's methods that read messages. Each rejects with a PlatformFailure. */
export interface MessageReads {
  /** Also works for a recalled message. */
  readonly item: (id: string, options: CallOptions) => Promise<MessageItem>;
  /** The messages that were forwarded as one message; empty for any other. */
  readonly forwarded: (id: string, options: CallOptions) => Promise<readonly FetchedMessage[]>;
  /** The newest messages of a chat, or of the thread that begins with `threadRootId`, oldest first, without recalled ones. At most 200 are looked through. */
  readonly history: (
    place: { readonly chatId: string; readonly threadRootId?: string | undefined },
    options: CallOptions & { readonly limit: number; readonly before?: string | undefined },
  ) => Promise<readonly FetchedMessage[]>;
}

/** Makes the methods. */
export function createMessageReads(read: ReadApi, appId: string): MessageReads {
  const items = async (id: string, options: CallOptions): Promise<readonly MessageItem[]> =>
    (await read(MessageSchema, `/im/v1/messages/${encodeURIComponent(id)}`, { user_id_type: "open_id" }, options)).data.items;
  const first = async (id: string, options: CallOptions): Promise<MessageItem> => {
    const [item] = await items(id, options);
    if (item === undefined) throw new PlatformFailure({ type: "http", status: 404 }, "there is no such message");
    return item;
  };
  /** Newest first. */
  const messagesOf = async function* (
    container: Readonly<Record<string, string>>,
    options: CallOptions,
  ): AsyncGenerator<MessageItem, undefined> {
    let token = "";
    for (let page = 0; page < MAX_MESSAGE_PAGES; page += 1) {
      const params = {
        ...container,
        sort_type: "ByCreateTimeDesc",
        page_size: MESSAGE_PAGE_SIZE,
        ...(token === "" ? {} : { page_token: token }),
      };
      const { data } = await read(MessagesSchema, "/im/v1/messages", params, options);
      yield* data.items;
      token = data.page_token ?? "";
      if (data.has_more !== true || token === "") return;
    }
  };
  return {
    item: first,
    async forwarded(id, options) {
      const [, ...inside] = await items(id, options);
      return inside.filter(({ deleted }) => deleted !== true).map((item) => readItem(item, appId));
    },
    async history({ chatId, threadRootId }, { limit, before, ...options }) {
      const threadId = threadRootId === undefined ? undefined : (await first(threadRootId, options)).thread_id;
      // A message that nobody answered in a thread has none.
      if (threadRootId !== undefined && !threadId) return [];
      const container =
        threadId === undefined
          ? { container_id_type: "chat", container_id: chatId }
          : { container_id_type: "thread", container_id: threadId };
      const found: FetchedMessage[] = [];
      let isReached = before === undefined;
      for await (const item of messagesOf(container, options)) {
        if (isReached && item.deleted !== true) found.push(readItem(item, appId));
        if (found.length >= limit) break;
        isReached ||= item.message_id === before;
      }
      return found.toReversed();
    },
  };
}
