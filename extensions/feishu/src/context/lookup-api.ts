import type { CallOptions } from "@factotum/channel-contract";
import { PlatformFailure } from "@factotum/channel-kit";
import * as z from "zod";
import { isOwnItem, readItem } from "./message-item.ts";
import type { FetchedMessage } from "./message-item.ts";
import type { MessageReads } from "./message-reads.ts";
import type { ReadApi } from "./read-api.ts";

/** Chat and author of a message. */
export interface MessagePlace {
  readonly chatId: string;
  /** The first message of its thread, if it is in one. */
  readonly threadRootId?: string;
  readonly senderId: string;
  /** The bot's own. */
  readonly isSelf: boolean;
}

const PAGE_SIZE = 100;
/** Of a larger group some names stay unknown. */
const MAX_PAGES = 5;
const ChatSchema = z.looseObject({ data: z.looseObject({ name: z.string().default("") }) });
const MembersSchema = z.looseObject({
  data: z.looseObject({
    items: z.array(z.looseObject({ member_id: z.string().optional(), name: z.string().optional() })).default([]),
    page_token: z.string().optional(),
    has_more: z.boolean().optional(),
  }),
});
/** The platform's methods that read chats, members and messages. Each rejects with a PlatformFailure. */
export interface LookupApi extends Pick<MessageReads, "forwarded" | "history"> {
  readonly chatName: (chatId: string, options: CallOptions) => Promise<string>;
  /** Names by open id. */
  readonly memberNames: (chatId: string, options: CallOptions) => Promise<ReadonlyMap<string, string>>;
  readonly message: (id: string, options: CallOptions) => Promise<FetchedMessage>;
  /** Also works for a recalled message. */
  readonly place: (id: string, options: CallOptions) => Promise<MessagePlace>;
}

/** Makes the methods. */
export function createLookupApi({ read, messages }: { readonly read: ReadApi; readonly messages: MessageReads }, appId: string): LookupApi {
  return {
    forwarded: messages.forwarded,
    history: messages.history,
    async chatName(chatId, options) {
      return (await read(ChatSchema, `/im/v1/chats/${encodeURIComponent(chatId)}`, {}, options)).data.name;
    },
    async memberNames(chatId, options) {
      const names = new Map<string, string>();
      let token = "";
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const params = { member_id_type: "open_id", page_size: PAGE_SIZE, ...(token === "" ? {} : { page_token: token }) };
        const { data } = await read(MembersSchema, `/im/v1/chats/${encodeURIComponent(chatId)}/members`, params, options);
        for (const { member_id: id, name } of data.items) if (id !== undefined && name !== undefined && name !== "") names.set(id, name);
        token = data.page_token ?? "";
        if (data.has_more !== true || token === "") break;
      }
      return names;
    },
    async place(id, options) {
      const item = await messages.item(id, options);
      if (item.chat_id === undefined) throw new PlatformFailure({ type: "http", status: 404 }, "the message is in no chat");
      const inThread = item.thread_id !== undefined && item.thread_id !== "";
      const threadRootId = inThread ? item.root_id || item.message_id : undefined;
      return {
        chatId: item.chat_id,
        ...(threadRootId !== undefined && { threadRootId }),
        senderId: item.sender.id,
        isSelf: isOwnItem(item, appId),
      };
    },
    async message(id, options) {
      const item = await messages.item(id, options);
      if (item.deleted === true) throw new PlatformFailure({ type: "http", status: 404 }, "the message was recalled");
      return readItem(item, appId);
    },
  };
}
