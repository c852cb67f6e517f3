import type { FakeTelegramApp, TelegramChat } from "./app.ts";
import type { TelegramFields } from "./fields.ts";
import { asTelegramMessage } from "./message-store.ts";
import type { TelegramButton, TelegramMessageInput, TelegramMessageStore } from "./message-store.ts";
import { parseTelegramHtml } from "./parse-html.ts";
import { parseTelegramMarkdownV2 } from "./parse-markdown-v2.ts";
import type { TelegramEntity } from "./parse-html.ts";
import { badRequest } from "./refusal.ts";

/** What methods may use. */
export interface TelegramMethodContext {
  readonly app: FakeTelegramApp;
  readonly store: TelegramMessageStore;
  /** Answers to pressed buttons, by the query's id. */
  readonly pressAnswers: Map<string, string>;
  /** Ids of queries that wait for an answer. */
  readonly pressed: Set<string>;
  /** Signs of typing. */
  readonly typing: { readonly chatId: number; readonly threadId: number | undefined }[];
}

/** One method of the Bot API. */
export interface TelegramMethod {
  /** True if it shows, changes or removes something in a chat. */
  readonly isChange?: true;
  call(fields: TelegramFields, context: TelegramMethodContext): unknown;
}

/** The chat of a request; refuses what the platform refuses. */
export function chatOf(fields: TelegramFields, { app }: TelegramMethodContext): TelegramChat {
  const id = fields.text("chat_id") ?? "";
  const chat = id.startsWith("@") ? app.chats.values().find(({ username }) => `@${username}` === id) : app.chats.get(Number(id));
  if (chat === undefined) throw badRequest("chat not found");
  if (chat.migratedTo !== undefined)
    throw badRequest("group chat was upgraded to a supergroup chat", { migrate_to_chat_id: chat.migratedTo });
  return chat;
}

/** The place of a new message, and what it answers. */
export function baseOf(fields: TelegramFields, context: TelegramMethodContext): TelegramMessageInput {
  const chat = chatOf(fields, context);
  const threadId = fields.number("message_thread_id");
  if (threadId !== undefined && chat.topics?.has(threadId) !== true) throw badRequest("message thread not found");
  const reply = fields.json("reply_parameters") as
    | { readonly message_id: number; readonly allow_sending_without_reply?: boolean }
    | undefined;
  const isThere = reply !== undefined && context.store.find(chat.id, reply.message_id) !== undefined;
  if (reply !== undefined && !isThere && reply.allow_sending_without_reply !== true) throw badRequest("message to be replied not found");
  return {
    chatId: chat.id,
    fromId: context.app.bot.id,
    ...(threadId !== undefined && { threadId }),
    ...(isThere && { replyTo: reply.message_id }),
    isSilent: fields.flag("disable_notification"),
    buttons: buttonsOf(fields),
  };
}

/** Adds a message, and answers with it. */
export function shown({ app, store }: TelegramMethodContext, message: TelegramMessageInput): object {
  return asTelegramMessage(app, store, store.add(message));
}

/** A text of a request by its parse mode. */
export function textOf(
  fields: TelegramFields,
  name: "text" | "caption",
): { readonly text: string; readonly entities: readonly TelegramEntity[] } {
  return parsedText(fields.text(name) ?? "", fields.text("parse_mode"));
}

/** A text by its parse mode; as it is without one. */
export function parsedText(
  source: string,
  mode: string | undefined,
): { readonly text: string; readonly entities: readonly TelegramEntity[] } {
  if (mode === "HTML") return parseTelegramHtml(source);
  return mode === "MarkdownV2" ? parseTelegramMarkdownV2(source) : { text: source, entities: [] };
}

/** The buttons of a request, as the platform takes them. */
export function buttonsOf(fields: TelegramFields): readonly (readonly TelegramButton[])[] {
  const markup = fields.json("reply_markup") as { readonly inline_keyboard?: readonly (readonly TelegramButton[])[] } | undefined;
  const rows = markup?.inline_keyboard ?? [];
  for (const { text, callback_data: data = "", style = "primary" } of rows.flat()) {
    if (text.trim() === "") throw badRequest("text buttons are unallowed in the inline keyboard");
    if (data === "" || Buffer.byteLength(data) > 64) throw badRequest("BUTTON_DATA_INVALID");
    if (!["danger", "success", "primary"].includes(style)) throw badRequest("BUTTON_STYLE_INVALID");
  }
  if (rows.some((row) => row.length > 8) || rows.flat().length > 100) throw badRequest("REPLY_MARKUP_TOO_LONG");
  return rows;
}
