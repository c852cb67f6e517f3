import type { CallOptions, Mention } from "@factotum/channel-contract";
import * as z from "zod";
import type { FeishuApi } from "../api/feishu-api.ts";
import { FeishuFailure } from "../errors.ts";
import { parseContent } from "../inbound/parse-content.ts";
import { nameMentions } from "../inbound/parse-message.ts";

/** A message of a chat. */
interface FetchedMessage {
  readonly senderId: string;
  /** The bot's own. */
  readonly isSelf: boolean;
  /** At most 4,000 characters. */
  readonly text: string;
  /** People mentioned in the text. */
  readonly mentions: readonly Mention[];
}

/** Chat and author of a message. */
export interface MessagePlace {
  readonly chatId: string;
  /** The first message of its thread, if it is in one. */
  readonly threadRootId?: string;
  readonly senderId: string;
  /** The bot's own. */
  readonly isSelf: boolean;
}

const TIMEOUT_MS = 5_000;
const PAGE_SIZE = 100;
/** Of a larger group some names stay unknown. */
const MAX_PAGES = 5;
const MAX_TEXT_CHARS = 4_000;
const MAX_FILE_NAME_CHARS = 100;

const ChatSchema = z.looseObject({ data: z.looseObject({ name: z.string().default("") }) });
const MembersSchema = z.looseObject({
  data: z.looseObject({
    items: z.array(z.looseObject({ member_id: z.string().optional(), name: z.string().optional() })).default([]),
    page_token: z.string().optional(),
    has_more: z.boolean().optional(),
  }),
});
const MessageSchema = z.looseObject({
  data: z.looseObject({
    items: z
      .array(
        z.looseObject({
          message_id: z.string(),
          chat_id: z.string().optional(),
          root_id: z.string().optional(),
          thread_id: z.string().optional(),
          msg_type: z.string(),
          deleted: z.boolean().optional(),
          sender: z.looseObject({ id: z.string(), sender_type: z.string() }),
          body: z.looseObject({ content: z.string() }),
          mentions: z.array(z.looseObject({ key: z.string(), name: z.string().default(""), id: z.string().optional() })).optional(),
        }),
      )
      .min(1),
  }),
});

/** The name of a file, which its sender rarely chooses: without characters that could be read as text or markup. */
function shownName(fileName: string): string {
  return fileName
    .replace(/[^\p{L}\p{M}\p{N}._-]+/gu, "_")
    .slice(0, MAX_FILE_NAME_CHARS)
    .toWellFormed();
}

/** The platform's methods that read chats, members and messages. Each rejects with a FeishuFailure. */
export interface LookupApi {
  readonly chatName: (chatId: string, options: CallOptions) => Promise<string>;
  /** Names by open id. */
  readonly memberNames: (chatId: string, options: CallOptions) => Promise<ReadonlyMap<string, string>>;
  readonly message: (id: string, options: CallOptions) => Promise<FetchedMessage>;
  /** Also works for a recalled message. */
  readonly place: (id: string, options: CallOptions) => Promise<MessagePlace>;
}

/** Makes the methods; each request has 5 seconds. */
export function createLookupApi(api: FeishuApi, appId: string): LookupApi {
  const get = async <T>(schema: z.ZodType<T>, path: string, params: Readonly<Record<string, string | number>>, options: CallOptions) => {
    const answer = schema.safeParse(await api.call({ method: "GET", path, params, timeout: TIMEOUT_MS }, options));
    if (answer.success) return answer.data;
    throw new FeishuFailure({ type: "no-answer" }, "the answer does not have the documented form", { cause: answer.error });
  };
  const messageItem = async (id: string, options: CallOptions) =>
    (await get(MessageSchema, `/im/v1/messages/${encodeURIComponent(id)}`, { user_id_type: "open_id" }, options)).data.items[0];
  const isOwn = (sender: { readonly id: string; readonly sender_type: string }): boolean =>
    sender.sender_type === "app" && sender.id === appId;
  return {
    async chatName(chatId, options) {
      return (await get(ChatSchema, `/im/v1/chats/${encodeURIComponent(chatId)}`, {}, options)).data.name;
    },
    async memberNames(chatId, options) {
      const names = new Map<string, string>();
      let token = "";
      for (let page = 0; page < MAX_PAGES; page += 1) {
        const params = { member_id_type: "open_id", page_size: PAGE_SIZE, ...(token === "" ? {} : { page_token: token }) };
        const { data } = await get(MembersSchema, `/im/v1/chats/${encodeURIComponent(chatId)}/members`, params, options);
        for (const { member_id: id, name } of data.items) if (id !== undefined && name !== undefined && name !== "") names.set(id, name);
        token = data.page_token ?? "";
        if (data.has_more !== true || token === "") break;
      }
      return names;
    },
    async place(id, options) {
      const item = await messageItem(id, options);
      if (item?.chat_id === undefined) throw new FeishuFailure({ type: "http", status: 404 }, "the message is in no chat");
      const inThread = item.thread_id !== undefined && item.thread_id !== "";
      const threadRootId = inThread ? item.root_id || item.message_id : undefined;
      return {
        chatId: item.chat_id,
        ...(threadRootId !== undefined && { threadRootId }),
        senderId: item.sender.id,
        isSelf: isOwn(item.sender),
      };
    },
    async message(id, options) {
      const item = await messageItem(id, options);
      if (item === undefined || item.deleted === true) throw new FeishuFailure({ type: "http", status: 404 }, "the message was recalled");
      const {
        text,
        attachments,
        untrusted = [],
      } = parseContent({ messageId: item.message_id, type: item.msg_type, content: item.body.content });
      const files = attachments.map(({ kind, fileName }) => (fileName === undefined ? `[${kind}]` : `[${kind}: ${shownName(fileName)}]`));
      const keys = (item.mentions ?? []).map((mention) => ({ ...mention, id: { open_id: mention.id } }));
      const named = nameMentions(text, keys, undefined);
      const words = [...(named.text === "" ? [] : [named.text]), ...untrusted.map((note) => note.text), ...files].join("\n");
      return {
        senderId: item.sender.id,
        isSelf: isOwn(item.sender),
        text: words.length <= MAX_TEXT_CHARS ? words : `${words.slice(0, MAX_TEXT_CHARS).toWellFormed()}…`,
        mentions: named.mentions,
      };
    },
  };
}
