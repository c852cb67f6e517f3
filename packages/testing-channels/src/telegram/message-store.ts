import { asTelegramBot, asTelegramChat, asTelegramUser } from "./app.ts";
import type { FakeTelegramApp } from "./app.ts";
import type { TelegramEntity } from "./parse-html.ts";

/** A file that the platform keeps. */
export interface TelegramFile {
  readonly id: string;
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly mimeType: string;
}

/** A button below a message. */
export interface TelegramButton {
  readonly text: string;
  readonly callback_data?: string;
  readonly style?: string;
}

/** One message in its current form. */
export interface TelegramMessage {
  readonly id: number;
  readonly chatId: number;
  readonly threadId?: number;
  /** The person or bot who wrote it. */
  readonly fromId: number;
  readonly atMs: number;
  text: string;
  entities: readonly TelegramEntity[];
  /** The method that showed its file, such as `photo`; `text` without one. */
  readonly kind: string;
  readonly file?: TelegramFile;
  readonly albumId?: string;
  readonly replyTo?: number;
  readonly isSilent?: boolean;
  readonly poll?: {
    readonly id: string;
    readonly question: string;
    readonly options: readonly string[];
    readonly multiple: boolean;
    readonly isAnonymous: boolean;
  };
  buttons: readonly (readonly TelegramButton[])[];
  /** Emoji of the bot's reaction. */
  reactions: readonly string[];
  deleted: boolean;
  pinned: boolean;
  edits: number;
}

/** What a test gives of a message; the rest has defaults. */
export type TelegramMessageInput = Pick<TelegramMessage, "chatId" | "fromId"> & Partial<TelegramMessage>;

/** The messages and files of the platform. */
export class TelegramMessageStore {
  readonly messages: TelegramMessage[] = [];
  readonly files: Map<string, TelegramFile> = new Map();
  readonly #app: FakeTelegramApp;
  #count = 100;

  constructor(app: FakeTelegramApp) {
    this.#app = app;
  }

  /** The id that the next message gets. */
  get nextId(): number {
    return this.#count + 1;
  }

  add(message: TelegramMessageInput): TelegramMessage {
    this.#count += 1;
    const added: TelegramMessage = {
      id: this.#count,
      atMs: this.#app.now(),
      text: "",
      entities: [],
      kind: "text",
      buttons: [],
      reactions: [],
      deleted: false,
      pinned: false,
      edits: 0,
      ...message,
    };
    this.messages.push(added);
    return added;
  }

  addFile(file: Omit<TelegramFile, "id">): TelegramFile {
    const added = { id: `FILE${this.files.size + 1}-id_of_the_fake`, ...file };
    this.files.set(added.id, added);
    return added;
  }

  find(chatId: number, id: number): TelegramMessage | undefined {
    return this.messages.find((message) => message.chatId === chatId && message.id === id && !message.deleted);
  }
}

/** A message as the platform's methods and updates show it; `isPart` leaves out the message that it answers. */
export function asTelegramMessage(
  app: FakeTelegramApp,
  store: TelegramMessageStore,
  message: TelegramMessage,
  { isPart = false }: { readonly isPart?: boolean } = {},
): Readonly<Record<string, unknown>> {
  const { chatId, threadId, fromId, replyTo, albumId, edits } = message;
  const chat = app.chats.get(chatId) ?? { id: chatId, type: "private" as const };
  const user = app.users.get(fromId) ?? { id: fromId, first_name: `User ${fromId}` };
  const answered = replyTo === undefined || isPart ? undefined : store.find(chatId, replyTo);
  return {
    message_id: message.id,
    ...(chat.type === "channel"
      ? { sender_chat: asTelegramChat(chat) }
      : { from: fromId === app.bot.id ? asTelegramBot(app) : asTelegramUser(user) }),
    chat: asTelegramChat(chat),
    date: Math.floor(message.atMs / 1_000),
    ...(threadId !== undefined && { message_thread_id: threadId, is_topic_message: true }),
    ...(answered !== undefined && { reply_to_message: asTelegramMessage(app, store, answered, { isPart: true }) }),
    ...(edits > 0 && { edit_date: Math.floor(app.now() / 1_000) }),
    ...(albumId !== undefined && { media_group_id: albumId }),
    ...contentOf(message),
    ...(message.buttons.length > 0 && { reply_markup: { inline_keyboard: message.buttons } }),
  };
}

function contentOf({ text, entities, kind, file, poll, id }: TelegramMessage): object {
  if (poll !== undefined) {
    const options = poll.options.map((option) => ({ text: option, voter_count: 0 }));
    return { poll: { id: poll.id, question: poll.question, options, is_anonymous: poll.isAnonymous, type: "regular" } };
  }
  if (file === undefined) return { text, ...(entities.length > 0 && { entities }) };
  const shown = { file_id: file.id, file_unique_id: `unique${id}`, file_size: file.bytes.length };
  const named = { ...shown, file_name: file.name, mime_type: file.mimeType };
  return {
    ...(kind === "photo"
      ? {
          photo: [
            { ...shown, file_id: `${file.id}-small`, width: 9, height: 9 },
            { ...shown, width: 90, height: 90 },
          ],
        }
      : { [kind]: kind === "voice" ? { ...shown, duration: 1, mime_type: file.mimeType } : named }),
    ...(text !== "" && { caption: text }),
    ...(text !== "" && entities.length > 0 && { caption_entities: entities }),
  };
}
