import { asTelegramBot, asTelegramChat, asTelegramUser } from "./app.ts";
import type { TelegramCommand } from "./app.ts";
import type { TelegramFields } from "./fields.ts";
import { sendMediaGroup, sendOf } from "./file-methods.ts";
import { asTelegramMessage } from "./message-store.ts";
import type { TelegramMessage } from "./message-store.ts";
import { badRequest, TelegramRefusal } from "./refusal.ts";
import { baseOf, buttonsOf, chatOf, shown, textOf } from "./request-parts.ts";
import type { TelegramMethod, TelegramMethodContext } from "./request-parts.ts";

const MAX_TEXT = 4_096;
const MAX_RICH_CHARACTERS = 32_768;
const REACTIONS = ["👍", "👎", "❤", "🔥", "🎉", "🤔", "👀", "😁", "🙏", "👏", "💯"];

/** The methods by name, as far as they are known here. */
export const TELEGRAM_METHODS: Readonly<Record<string, TelegramMethod | undefined>> = {
  getMe: {
    call: (_, { app }) => ({
      ...asTelegramBot(app),
      can_join_groups: true,
      can_read_all_group_messages: app.canReadAllGroupMessages,
      supports_inline_queries: false,
    }),
  },
  setWebhook: { call: setWebhook },
  deleteWebhook: {
    call: (_, { app }) => {
      app.webhook = undefined;
      return true;
    },
  },
  getWebhookInfo: {
    call: (_, { app: { webhook } }) => ({ url: webhook?.url ?? "", has_custom_certificate: false, pending_update_count: 0 }),
  },
  setMyCommands: {
    call: (fields, { app }) => {
      const commands = fields.json("commands") as readonly TelegramCommand[];
      for (const { command, description } of commands) {
        if (!/^[a-z\d_]{1,32}$/.test(command)) throw badRequest("BOT_COMMAND_INVALID");
        if (description.length < 1 || description.length > 256) throw badRequest("BOT_COMMAND_DESCRIPTION_INVALID");
      }
      if (commands.length > 100) throw badRequest("BOT_COMMANDS_TOO_MUCH");
      app.commands.set(scopeOf(fields), commands);
      return true;
    },
  },
  getMyCommands: { call: (fields, { app }) => app.commands.get(scopeOf(fields)) ?? [] },
  getChat: {
    call: (fields, context) => {
      const chat = chatOf(fields, context);
      return { ...asTelegramChat(chat), accent_color_id: 0, max_reaction_count: 11 };
    },
  },
  getChatMember: { call: getChatMember },
  getFile: {
    call: (fields, { store }) => {
      const file = store.files.get(fields.text("file_id") ?? "");
      if (file === undefined) throw badRequest("wrong file_id or the file is temporarily unavailable");
      if (file.bytes.length > 20 * 1024 * 1024) throw badRequest("file is too big");
      return { file_id: file.id, file_unique_id: "u", file_size: file.bytes.length, file_path: `documents/${file.id}` };
    },
  },
  sendMessage: {
    isChange: true,
    call: (fields, context) => {
      const message = baseOf(fields, context);
      const { text, entities } = textOf(fields, "text");
      if (text.trim() === "") throw badRequest("message text is empty");
      if (text.length > MAX_TEXT) throw badRequest("message is too long");
      return shown(context, { ...message, text: text.trim(), entities });
    },
  },
  sendRichMessage: {
    isChange: true,
    call: (fields, context) => shown(context, { ...baseOf(fields, context), text: richTextOf(fields, context) ?? "" }),
  },
  sendPhoto: { isChange: true, call: sendOf("photo") },
  sendVideo: { isChange: true, call: sendOf("video") },
  sendAudio: { isChange: true, call: sendOf("audio") },
  sendVoice: { isChange: true, call: sendOf("voice") },
  sendAnimation: { isChange: true, call: sendOf("animation") },
  sendDocument: { isChange: true, call: sendOf("document") },
  sendMediaGroup: { isChange: true, call: sendMediaGroup },
  sendPoll: { isChange: true, call: sendPoll },
  sendChatAction: {
    call: (fields, context) => {
      const { chatId, threadId } = baseOf(fields, context);
      context.typing.push({ chatId, threadId });
      return true;
    },
  },
  editMessageText: { isChange: true, call: (fields, context) => edit(fields, context, "text") },
  editMessageCaption: { isChange: true, call: (fields, context) => edit(fields, context, "caption") },
  deleteMessage: {
    isChange: true,
    call: (fields, context) => {
      targetOf(fields, context, "message to delete not found").deleted = true;
      return true;
    },
  },
  setMessageReaction: {
    isChange: true,
    call: (fields, context) => {
      const message = targetOf(fields, context, "message to react not found");
      const reactions = ((fields.json("reaction") ?? []) as readonly { readonly emoji: string }[]).map(({ emoji }) => emoji);
      if (reactions.some((emoji) => !REACTIONS.includes(emoji))) throw badRequest("REACTION_INVALID");
      if (reactions.length > 1) throw badRequest("REACTIONS_TOO_MANY");
      message.reactions = reactions;
      return true;
    },
  },
  pinChatMessage: { isChange: true, call: (fields, context) => pin(fields, context, true) },
  unpinChatMessage: { isChange: true, call: (fields, context) => pin(fields, context, false) },
  createForumTopic: {
    isChange: true,
    call: (fields, context) => {
      const { app, store } = context;
      const chat = chatOf(fields, context);
      if (chat.topics === undefined) throw badRequest("the chat is not a forum");
      if (app.missingRights.has("can_manage_topics")) throw badRequest("not enough rights to create a topic");
      const threadId = store.nextId;
      store.add({ chatId: chat.id, fromId: app.bot.id, threadId, kind: "topic" });
      chat.topics.set(threadId, fields.text("name") ?? "");
      return { message_thread_id: threadId, name: fields.text("name"), icon_color: 7_322_096 };
    },
  },
  answerCallbackQuery: {
    call: (fields, { pressed, pressAnswers }) => {
      const id = fields.text("callback_query_id") ?? "";
      if (!pressed.delete(id)) throw badRequest("query is too old and response timeout expired or query ID is invalid");
      pressAnswers.set(id, fields.text("text") ?? "");
      return true;
    },
  },
};

/** The Markdown of a rich message as it was written; `undefined` without one. A server from before rich messages knows neither the method nor the field. */
function richTextOf(fields: TelegramFields, { app }: TelegramMethodContext): string | undefined {
  const { markdown } = (fields.json("rich_message") ?? {}) as { readonly markdown?: string };
  if (!app.hasRichMessages || markdown === undefined) return undefined;
  if (markdown.trim() === "") throw badRequest("rich message is empty");
  if (Array.from(markdown).length > MAX_RICH_CHARACTERS) throw badRequest("RICH_MESSAGE_TOO_LONG");
  return markdown.trim();
}

function scopeOf(fields: TelegramFields): string {
  return (fields.json("scope") as { readonly type?: string } | undefined)?.type ?? "default";
}

function setWebhook(fields: TelegramFields, { app }: TelegramMethodContext): unknown {
  const url = fields.text("url") ?? "";
  const secretToken = fields.text("secret_token") ?? "";
  if (!url.startsWith("https://")) throw badRequest("bad webhook: An HTTPS URL must be provided for webhook");
  if (!/^[\w-]{0,256}$/.test(secretToken)) throw badRequest("secret token contains unallowed characters");
  const allowedUpdates = fields.json("allowed_updates") as readonly string[] | undefined;
  app.webhook = { url, secretToken, allowedUpdates };
  app.allowedUpdates = allowedUpdates;
  return true;
}

function getChatMember(fields: TelegramFields, context: TelegramMethodContext): unknown {
  const { app } = context;
  const chat = chatOf(fields, context);
  const userId = fields.number("user_id") ?? 0;
  if (userId === app.bot.id) {
    const rights = ["can_delete_messages", "can_pin_messages", "can_manage_topics"].filter((right) => !app.missingRights.has(right));
    return { status: "administrator", user: asTelegramBot(app), ...Object.fromEntries(rights.map((right) => [right, true])) };
  }
  const user = app.users.get(userId);
  if (user === undefined || chat.members?.includes(userId) === false) throw badRequest("member not found");
  return { status: "member", user: asTelegramUser(user) };
}

function sendPoll(fields: TelegramFields, context: TelegramMethodContext): unknown {
  const options = (fields.json("options") as readonly (string | { readonly text: string })[]).map((option) =>
    typeof option === "string" ? option : option.text,
  );
  const question = fields.text("question") ?? "";
  if (question.length < 1 || question.length > 300) throw badRequest("poll question length must not exceed 300");
  if (options.length < 2) throw badRequest("poll must have at least 2 options");
  if (options.length > 12) throw badRequest("poll can't have more than 12 options");
  if (options.some((option) => option.length < 1 || option.length > 100)) throw badRequest("poll options length must not exceed 100");
  const period = fields.number("open_period");
  if (period !== undefined && (period < 5 || period > 2_628_000)) throw badRequest("poll can't be closed at the time");
  const isAnonymous = fields.values["is_anonymous"] !== false && fields.text("is_anonymous") !== "false";
  if (!isAnonymous && chatOf(fields, context).type === "channel") throw badRequest("non-anonymous polls can't be sent to channel chats");
  const poll = { id: `90${context.store.nextId}`, question, options, multiple: fields.flag("allows_multiple_answers"), isAnonymous };
  return shown(context, { ...baseOf(fields, context), poll, kind: "poll" });
}

function targetOf(fields: TelegramFields, context: TelegramMethodContext, missing: string): TelegramMessage {
  const found = context.store.find(chatOf(fields, context).id, fields.number("message_id") ?? 0);
  if (found === undefined) throw badRequest(missing);
  return found;
}

function edit(fields: TelegramFields, context: TelegramMethodContext, part: "text" | "caption"): unknown {
  const message = targetOf(fields, context, "message to edit not found");
  if (message.fromId !== context.app.bot.id) throw badRequest("message can't be edited");
  if (part === "text" && message.kind !== "text") throw badRequest("there is no text in the message to edit");
  const rich = richTextOf(fields, context);
  const { text, entities } = rich === undefined ? textOf(fields, part) : { text: rich, entities: [] };
  if (part === "text" && text.trim() === "") throw badRequest("message text is empty");
  if (rich === undefined && text.length > (part === "text" ? MAX_TEXT : 1_024))
    throw badRequest(part === "text" ? "MESSAGE_TOO_LONG" : "message caption is too long");
  const buttons = buttonsOf(fields);
  const isSame =
    text.trim() === message.text && JSON.stringify([entities, buttons]) === JSON.stringify([message.entities, message.buttons]);
  if (isSame) {
    const what = "specified new message content and reply markup are exactly the same as a current content and reply markup of the message";
    throw badRequest(`message is not modified: ${what}`);
  }
  Object.assign(message, { text: text.trim(), entities, buttons, edits: message.edits + 1 });
  return asTelegramMessage(context.app, context.store, message);
}

function pin(fields: TelegramFields, context: TelegramMethodContext, pinned: boolean): unknown {
  if (context.app.missingRights.has("can_pin_messages")) throw badRequest("not enough rights to manage pinned messages in the chat");
  targetOf(fields, context, pinned ? "message to pin not found" : "message to unpin not found").pinned = pinned;
  return true;
}

/** The refusal of a token that the platform does not know. */
export function unauthorized(): TelegramRefusal {
  return new TelegramRefusal(401, "Unauthorized");
}
