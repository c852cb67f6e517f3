import { asTelegramBot, asTelegramChat, asTelegramUser } from "./app.ts";
import type { FakeTelegramApp, TelegramUser } from "./app.ts";
import type { FakeTelegram } from "./fake-telegram.ts";
import { asTelegramMessage } from "./message-store.ts";
import type { TelegramMessage } from "./message-store.ts";
import type { TelegramUpdate } from "./update-queue.ts";

/** The update of a message: a new one, or an edited one. `extra` is added to the message. */
export function telegramMessageUpdate(
  { app, store, nextUpdateId }: FakeTelegram,
  message: TelegramMessage,
  extra: Readonly<Record<string, unknown>> = {},
): TelegramUpdate {
  const shown = { ...asTelegramMessage(app, store, message), ...extra };
  const isPost = app.chats.get(message.chatId)?.type === "channel";
  const type = message.edits > 0 ? (isPost ? "edited_channel_post" : "edited_message") : isPost ? "channel_post" : "message";
  return { update_id: nextUpdateId(), [type]: shown };
}

/** The update of a pressed button of a message. */
export function telegramPressUpdate(
  { app, store, nextUpdateId, press }: FakeTelegram,
  message: TelegramMessage,
  { fromId, data }: { readonly fromId: number; readonly data: string },
  { updateId = nextUpdateId(), pressId = press() }: { readonly updateId?: number; readonly pressId?: string } = {},
): TelegramUpdate {
  return {
    update_id: updateId,
    callback_query: {
      id: pressId,
      from: userOf(app, fromId),
      message: asTelegramMessage(app, store, message),
      chat_instance: "1",
      data,
    },
  };
}

/** The update of a changed reaction. */
export function telegramReactionUpdate(
  { app, nextUpdateId }: FakeTelegram,
  message: TelegramMessage,
  { fromId, before, after }: { readonly fromId: number; readonly before: readonly string[]; readonly after: readonly string[] },
): TelegramUpdate {
  const reactions = (emojis: readonly string[]): readonly object[] => emojis.map((emoji) => ({ type: "emoji", emoji }));
  return {
    update_id: nextUpdateId(),
    message_reaction: {
      chat: chatOf(app, message.chatId),
      message_id: message.id,
      user: userOf(app, fromId),
      date: Math.floor(app.now() / 1_000),
      old_reaction: reactions(before),
      new_reaction: reactions(after),
    },
  };
}

/** The update of an answer in a poll. */
export function telegramVoteUpdate(
  { app, nextUpdateId }: FakeTelegram,
  message: TelegramMessage,
  { fromId, options }: { readonly fromId: number; readonly options: readonly number[] },
  { updateId = nextUpdateId() }: { readonly updateId?: number } = {},
): TelegramUpdate {
  return {
    update_id: updateId,
    poll_answer: { poll_id: message.poll?.id ?? "", user: userOf(app, fromId), option_ids: options },
  };
}

/** The update of the bot's own membership. */
export function telegramOwnMemberUpdate(
  { app, nextUpdateId }: FakeTelegram,
  { chatId, fromId, before, after }: { readonly chatId: number; readonly fromId: number; readonly before: string; readonly after: string },
): TelegramUpdate {
  const member = (status: string): object => ({ status, user: asTelegramBot(app) });
  return {
    update_id: nextUpdateId(),
    my_chat_member: {
      chat: chatOf(app, chatId),
      from: userOf(app, fromId),
      date: Math.floor(app.now() / 1_000),
      old_chat_member: member(before),
      new_chat_member: member(after),
    },
  };
}

/** A person as updates show it. */
export function telegramUserOf(app: FakeTelegramApp, id: number): object {
  return userOf(app, id);
}

/** A request of the platform to the webhook of a bot. */
export function telegramWebhookRequest(
  url: string,
  update: unknown,
  { secretToken }: { readonly secretToken: string | undefined },
): Request {
  const headers = {
    "content-type": "application/json",
    ...(secretToken !== undefined && { "x-telegram-bot-api-secret-token": secretToken }),
  };
  return new Request(url, { method: "POST", headers, body: JSON.stringify(update) });
}

function userOf(app: FakeTelegramApp, id: number): object {
  if (id === app.bot.id) return asTelegramBot(app);
  const user: TelegramUser = app.users.get(id) ?? { id, first_name: `User ${id}` };
  return asTelegramUser(user);
}

function chatOf(app: FakeTelegramApp, id: number): object {
  return asTelegramChat(app.chats.get(id) ?? { id, type: "private" });
}
