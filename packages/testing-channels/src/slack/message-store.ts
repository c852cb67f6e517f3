import type { FakeSlackApp } from "./app.ts";

/** A file of the workspace. */
export interface SlackFile {
  readonly id: string;
  readonly name: string;
  readonly mimeType: string;
  readonly bytes: Uint8Array;
  /** The messages that show it: conversation and timestamp. */
  readonly shares: { readonly channel: string; readonly ts: string; readonly threadTs?: string }[];
}

/** One message in its current form. */
export interface SlackMessage {
  readonly channel: string;
  readonly ts: string;
  readonly threadTs?: string;
  readonly user: string;
  /** True for a message that the app posted. */
  readonly isOwn: boolean;
  /** The bot that posted it, if it is another one. */
  readonly botId?: string;
  text: string;
  blocks: readonly unknown[];
  readonly metadata?: unknown;
  readonly files: readonly SlackFile[];
  /** Seen by this person alone. */
  readonly ephemeralFor?: string;
  readonly reactions: { readonly name: string; readonly users: string[] }[];
  deleted: boolean;
  pinned: boolean;
  /** `open` while a stream can be appended to. */
  stream?: "open" | "ended";
  edits: number;
}

/** The messages and files of a workspace. */
export class SlackMessageStore {
  readonly messages: SlackMessage[] = [];
  readonly files: Map<string, SlackFile> = new Map();
  readonly #app: FakeSlackApp;
  #count = 0;

  constructor(app: FakeSlackApp) {
    this.#app = app;
  }

  /** A timestamp of the platform: seconds and a number that makes it unique. */
  nextTs(): string {
    this.#count += 1;
    return `${Math.floor(this.#app.now() / 1_000)}.${String(this.#count).padStart(6, "0")}`;
  }

  nextFileId(): string {
    this.#count += 1;
    return `F0FILE${this.#count}`;
  }

  add(message: Pick<SlackMessage, "channel" | "user" | "isOwn"> & Partial<SlackMessage>): SlackMessage {
    const added: SlackMessage = {
      ts: this.nextTs(),
      text: "",
      blocks: [],
      files: [],
      reactions: [],
      deleted: false,
      pinned: false,
      edits: 0,
      ...message,
    };
    this.messages.push(added);
    return added;
  }

  find(channel: string, ts: string): SlackMessage | undefined {
    return this.messages.find((message) => message.channel === channel && message.ts === ts && !message.deleted);
  }

  /** Visible messages of a conversation, oldest first; with `threadTs` those of a thread, its first message included. */
  list(channel: string, threadTs?: string): readonly SlackMessage[] {
    const visible = this.messages.filter(
      (message) => message.channel === channel && !message.deleted && message.ephemeralFor === undefined,
    );
    return threadTs === undefined
      ? visible.filter((message) => message.threadTs === undefined)
      : visible.filter((message) => message.ts === threadTs || message.threadTs === threadTs);
  }
}

/** A message as the platform's methods and events show it. */
export function asSlackMessage(app: FakeSlackApp, message: SlackMessage, options: { readonly metadata?: boolean } = {}): object {
  return {
    type: "message",
    user: message.user,
    ts: message.ts,
    text: message.text,
    team: app.teamId,
    ...(message.botId !== undefined && { bot_id: message.botId }),
    ...(message.isOwn && { bot_id: app.bot.botId, app_id: app.appId }),
    ...(message.threadTs !== undefined && { thread_ts: message.threadTs, parent_user_id: message.user }),
    ...(message.blocks.length > 0 && { blocks: message.blocks }),
    ...(message.edits > 0 && { edited: { user: message.user, ts: message.ts } }),
    ...(message.files.length > 0 && { files: message.files.map(asSlackFile) }),
    ...(message.reactions.length > 0 && {
      reactions: message.reactions.map(({ name, users }) => ({ name, users, count: users.length })),
    }),
    ...(options.metadata === true && message.metadata !== undefined && { metadata: message.metadata }),
  };
}

/** A file as messages show it. */
export function asSlackFile(file: SlackFile): object {
  return { id: file.id, name: file.name, title: file.name, mimetype: file.mimeType, size: file.bytes.length, mode: "hosted" };
}
