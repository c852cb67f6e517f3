/** A person or bot. */
export interface TelegramUser {
  readonly id: number;
  readonly first_name: string;
  readonly username?: string;
  readonly is_bot?: boolean;
}

/** A chat, and what the bot may do in it. */
export interface TelegramChat {
  readonly id: number;
  readonly type: "private" | "group" | "supergroup" | "channel";
  readonly title?: string;
  readonly first_name?: string;
  readonly username?: string;
  readonly is_forum?: boolean;
  /** Topics by thread id. */
  readonly topics?: Map<number, string>;
  /** Ids of its members besides the bot; everybody by default. */
  readonly members?: readonly number[];
  /** Set once the group has become a supergroup: requests for the old id are refused with the new one. */
  migratedTo?: number;
}

/** One command of a menu. */
export interface TelegramCommand {
  readonly command: string;
  readonly description: string;
}

/** A registered webhook. */
interface TelegramWebhook {
  readonly url: string;
  readonly secretToken: string;
  readonly allowedUpdates: readonly string[] | undefined;
}

/** A bot and the chats that it knows. Tests may change it. */
export interface FakeTelegramApp {
  readonly token: string;
  readonly bot: { readonly id: number; readonly username: string; readonly firstName: string };
  /** False while the group privacy mode is on. */
  canReadAllGroupMessages: boolean;
  /** False for a server from before rich messages (`sendRichMessage`). */
  hasRichMessages: boolean;
  /** Rights that the bot lacks as an administrator of groups, such as `can_manage_topics`. */
  readonly missingRights: Set<string>;
  readonly users: Map<number, TelegramUser>;
  readonly chats: Map<number, TelegramChat>;
  /** Menus by scope. */
  readonly commands: Map<string, readonly TelegramCommand[]>;
  webhook: TelegramWebhook | undefined;
  /** Types of updates that the last `getUpdates` or `setWebhook` asked for. */
  allowedUpdates: readonly string[] | undefined;
  readonly now: () => number;
}

/** What a test may choose; the rest has defaults. */
export interface FakeTelegramOptions {
  readonly token?: string;
  readonly users?: readonly TelegramUser[];
  readonly chats?: readonly TelegramChat[];
  readonly now?: () => number;
}

/** A bot with its defaults: Alice and Bob, the direct chats with both, a forum with one topic, a group and a channel. */
export function fakeTelegramApp(options: FakeTelegramOptions): FakeTelegramApp {
  const users = options.users ?? [
    { id: 1001, first_name: "Alice", username: "alice" },
    { id: 1002, first_name: "Bob" },
  ];
  const chats = options.chats ?? [
    ...users.map(({ id, first_name }): TelegramChat => ({ id, type: "private", first_name })),
    { id: -1_001_000_000_001, type: "supergroup", title: "Forum", is_forum: true, topics: new Map([[77, "Plans"]]) },
    { id: -2001, type: "group", title: "Family" },
    { id: -1_001_000_000_002, type: "channel", title: "News", username: "news_of_the_fake" },
  ];
  return {
    token: options.token ?? ["110201543", "AAHdqTcvCH1vGWJxfSeofSAs0K5PALDsaw0"].join(":"),
    bot: { id: 110_201_543, username: "factotum_bot", firstName: "Factotum" },
    canReadAllGroupMessages: true,
    hasRichMessages: true,
    missingRights: new Set(),
    users: new Map(users.map((user) => [user.id, user])),
    chats: new Map(chats.map((chat) => [chat.id, chat])),
    commands: new Map(),
    webhook: undefined,
    allowedUpdates: undefined,
    now: options.now ?? (() => Date.now()),
  };
}

/** A user as messages show it. */
export function asTelegramUser({ id, first_name, username, is_bot = false }: TelegramUser): object {
  return { id, is_bot, first_name, ...(username !== undefined && { username }) };
}

/** The bot as messages show it. */
export function asTelegramBot({ bot }: FakeTelegramApp): object {
  return { id: bot.id, is_bot: true, first_name: bot.firstName, username: bot.username };
}

/** A chat as messages show it. */
export function asTelegramChat({ id, type, title, first_name, username, is_forum }: TelegramChat): object {
  return {
    id,
    type,
    ...(title !== undefined && { title }),
    ...(first_name !== undefined && { first_name }),
    ...(username !== undefined && { username }),
    ...(is_forum === true && { is_forum }),
  };
}
