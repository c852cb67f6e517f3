import { asDiscordMember, asDiscordUser } from "./app.ts";
import type { FakeDiscordApp } from "./app.ts";

/** A file of a message. */
export interface DiscordFile {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
}

/** A button of a message. */
export interface DiscordButton {
  readonly type: number;
  readonly style: number;
  readonly label: string;
  readonly custom_id: string;
}

/** A poll as it was sent. */
export interface DiscordPoll {
  readonly question: string;
  readonly answers: readonly string[];
  readonly multiple: boolean;
}

/** One message in its current form. */
export interface DiscordMessage {
  readonly id: string;
  readonly channelId: string;
  readonly authorId: string;
  readonly atMs: number;
  /** Set for a message that was sent with one, and whether it was enforced. */
  readonly nonce?: string | undefined;
  readonly replyTo?: string | undefined;
  /** The channel of the message that was forwarded, with its text. */
  readonly forwarded?: { readonly channelId: string; readonly messageId: string; readonly content: string } | undefined;
  readonly webhookId?: string | undefined;
  content: string;
  files: readonly DiscordFile[];
  buttons: readonly (readonly DiscordButton[])[];
  poll?: DiscordPoll | undefined;
  flags: number;
  /** Whom it notified. */
  allowedMentions: unknown;
  editedAtMs?: number | undefined;
  edits: number;
  deleted: boolean;
  pinned: boolean;
  /** Who reacted, by emoji. */
  readonly reactions: Map<string, Set<string>>;
}

/** What a message needs at least. */
export type DiscordMessageInput = Pick<DiscordMessage, "channelId" | "authorId"> & Partial<DiscordMessage>;

/** The messages of the server and the direct chats. */
export class DiscordMessageStore {
  readonly messages: DiscordMessage[] = [];
  readonly #app: FakeDiscordApp;

  constructor(app: FakeDiscordApp) {
    this.#app = app;
  }

  add(input: DiscordMessageInput): DiscordMessage {
    const message: DiscordMessage = {
      id: this.#app.nextId(),
      atMs: this.#app.now(),
      content: "",
      files: [],
      buttons: [],
      flags: 0,
      allowedMentions: undefined,
      edits: 0,
      deleted: false,
      pinned: false,
      reactions: new Map(),
      ...input,
    };
    this.messages.push(message);
    return message;
  }

  find(channelId: string, id: string): DiscordMessage | undefined {
    return this.messages.find((message) => message.id === id && message.channelId === channelId && !message.deleted);
  }

  /** Messages of a channel, oldest first. */
  inChannel(channelId: string): readonly DiscordMessage[] {
    return this.messages.filter((message) => message.channelId === channelId && !message.deleted);
  }
}

/** Makes the platform's time. */
function asTimestamp(atMs: number): string {
  return `${new Date(atMs).toISOString().slice(0, -1)}000+00:00`;
}

/** A message as requests and events show it; `address` is that of the server, for files. Without the answered message a reader has to ask for it. */
export function asDiscordMessage(
  app: FakeDiscordApp,
  store: DiscordMessageStore,
  message: DiscordMessage,
  { address, withAnswered = true }: { readonly address: string; readonly withAnswered?: boolean },
): Readonly<Record<string, unknown>> {
  const {
    id,
    channelId,
    authorId,
    content,
    atMs,
    editedAtMs,
    files,
    replyTo,
    forwarded,
    webhookId,
    reactions,
    flags,
    pinned,
    nonce,
    poll,
  } = message;
  const answered = replyTo === undefined ? undefined : store.find(channelId, replyTo);
  const people = [...new Set(Array.from(content.matchAll(/<@!?(\d+)>/g), ([, user = ""]) => user))];
  const roles = [...new Set(Array.from(content.matchAll(/<@&(\d+)>/g), ([, role = ""]) => role))];
  return {
    id,
    channel_id: channelId,
    type: replyTo === undefined ? 0 : 19,
    author: asDiscordUser(app, authorId),
    content,
    timestamp: asTimestamp(atMs),
    edited_timestamp: editedAtMs === undefined ? null : asTimestamp(editedAtMs),
    tts: false,
    mention_everyone: false,
    mentions: people.map((user) => ({ ...asDiscordUser(app, user), member: asDiscordMember(app, user) })),
    mention_roles: roles,
    attachments: files.map((file) => asAttachment(file, { channelId, address })),
    embeds: [],
    pinned,
    flags,
    components: message.buttons.map((components) => ({ type: 1, components })),
    reactions: Array.from(reactions, ([emoji, users]) => ({
      count: users.size,
      me: users.has(app.bot.id),
      emoji: asEmoji(emoji),
    })),
    ...(nonce !== undefined && { nonce }),
    ...(webhookId !== undefined && { webhook_id: webhookId }),
    ...(poll !== undefined && { poll: asPoll(poll) }),
    ...(replyTo !== undefined && { message_reference: { type: 0, message_id: replyTo, channel_id: channelId } }),
    ...(answered !== undefined &&
      withAnswered && { referenced_message: asDiscordMessage(app, store, answered, { address, withAnswered: false }) }),
    ...(forwarded !== undefined && {
      message_reference: { type: 1, message_id: forwarded.messageId, channel_id: forwarded.channelId },
      message_snapshots: [{ message: { content: forwarded.content, attachments: [], embeds: [], mentions: [], mention_roles: [] } }],
    }),
  };
}

/** An emoji as events name it; a server's own is `name:id`. */
export function asEmoji(emoji: string): { readonly id: string | null; readonly name: string } {
  const [name = emoji, id] = emoji.split(":");
  return { id: id ?? null, name };
}

function asAttachment(
  { id, name, mimeType, bytes }: DiscordFile,
  { channelId, address }: { readonly channelId: string; readonly address: string },
): object {
  // The platform keeps only some characters of a name.
  const filename = name.replaceAll(/[^\w.-]+/g, "_");
  return {
    id,
    filename,
    ...(filename !== name && { title: name.replace(/\.[^.]*$/, "") }),
    size: bytes.length,
    url: `${address}/attachments/${channelId}/${id}/${filename}?ex=68&is=67&hm=5ec`,
    content_type: mimeType,
  };
}

function asPoll({ question, answers, multiple }: DiscordPoll): object {
  return {
    question: { text: question },
    answers: answers.map((text, index) => ({ answer_id: index + 1, poll_media: { text } })),
    allow_multiselect: multiple,
    layout_type: 1,
  };
}
