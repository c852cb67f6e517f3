/** A person or bot. */
export interface DiscordUser {
  readonly id: string;
  readonly username: string;
  readonly globalName?: string;
  readonly isBot?: boolean;
  /** Ids of the roles in the server. */
  readonly roles?: readonly string[];
}

/** A channel, thread or direct chat. */
export interface DiscordChannel {
  readonly id: string;
  /** 0 text, 1 direct, 11 public thread, 15 forum. */
  readonly type: number;
  readonly name?: string;
  readonly topic?: string;
  /** Of a thread. */
  readonly parentId?: string;
  /** The other person of a direct chat. */
  readonly recipientId?: string;
  readonly overwrites?: readonly { readonly id: string; readonly allow: string; readonly deny: string }[];
}

/** A role of the server. */
interface DiscordRole {
  readonly id: string;
  readonly name: string;
  readonly permissions: string;
  readonly tags?: { readonly bot_id: string };
}

/** A registered slash command. */
export interface DiscordCommand {
  readonly name: string;
  readonly description: string;
  readonly options?: readonly Readonly<Record<string, unknown>>[];
}

/** A bot, the server that it is in, and the people there. Tests may change it. */
export interface FakeDiscordApp {
  readonly token: string;
  readonly bot: { readonly id: string; readonly username: string };
  readonly applicationId: string;
  /** False while the intent Message Content is off. */
  readsContent: boolean;
  readonly guild: { readonly id: string; readonly name: string };
  readonly users: Map<string, DiscordUser>;
  readonly channels: Map<string, DiscordChannel>;
  readonly roles: readonly DiscordRole[];
  /** Channels that the bot does not see. */
  readonly hidden: Set<string>;
  /** True while the bot may read no channels, messages and members. */
  refusesReads: boolean;
  commands: readonly DiscordCommand[];
  /** New sessions that the bot may begin today. */
  startsLeft: number;
  readonly startsResetAfterMs: number;
  heartbeatIntervalMs: number;
  readonly now: () => number;
  /** A new id, as old as `atMs`; now by default. */
  readonly nextId: (atMs?: number) => string;
}

/** What a test may choose; the rest has defaults. */
export interface FakeDiscordOptions {
  readonly token?: string;
  readonly users?: readonly DiscordUser[];
  readonly channels?: readonly DiscordChannel[];
  readonly heartbeatIntervalMs?: number;
  readonly now?: () => number;
}

const EPOCH_MS = 1_420_070_400_000n;
const BOT_ID = "900000000000000001";
const GUILD_ID = "800000000000000001";
/** Everything that a bot usually gets: see, write, attach, react, read the history, threads, polls, pins. */
const PERMISSIONS = [6, 10, 11, 14, 15, 16, 35, 38, 49, 51].reduce((bits, bit) => bits | (1n << BigInt(bit)), 0n).toString();

/** A bot with its defaults: Alice and Bob, the direct chat with Alice, a channel with one thread. */
export function fakeDiscordApp(options: FakeDiscordOptions): FakeDiscordApp {
  const now = options.now ?? (() => Date.now());
  const users = options.users ?? [
    { id: "100000000000000001", username: "alice", globalName: "Alice" },
    { id: "100000000000000002", username: "bob", globalName: "Bob" },
  ];
  const channels = options.channels ?? [
    { id: "500000000000000001", type: 1, recipientId: "100000000000000001" },
    { id: "600000000000000001", type: 0, name: "general", topic: "Everything" },
    { id: "700000000000000001", type: 11, name: "Plans", parentId: "600000000000000001" },
  ];
  let count = 0n;
  return {
    token: options.token ?? ["MTE3ODk4NzY1NDMyMTA5ODc2NQ", "GhIjKl", "dGhlLXNlY3JldC1vZi10aGUtYm90LWhlcmU"].join("."),
    bot: { id: BOT_ID, username: "factotum" },
    applicationId: "900000000000000002",
    readsContent: true,
    guild: { id: GUILD_ID, name: "The server" },
    users: new Map(users.map((user) => [user.id, user])),
    channels: new Map(channels.map((channel) => [channel.id, channel])),
    roles: [
      { id: GUILD_ID, name: "@everyone", permissions: PERMISSIONS },
      { id: "400000000000000001", name: "factotum", permissions: "0", tags: { bot_id: BOT_ID } },
      { id: "400000000000000002", name: "Team", permissions: "0" },
    ],
    hidden: new Set(),
    refusesReads: false,
    commands: [],
    startsLeft: 1_000,
    startsResetAfterMs: 3_600_000,
    heartbeatIntervalMs: options.heartbeatIntervalMs ?? 41_250,
    now,
    nextId(atMs = now()) {
      count += 1n;
      return (((BigInt(Math.floor(atMs)) - EPOCH_MS) << 22n) | (count & 0x3f_ffffn)).toString();
    },
  };
}

/** A user as the platform shows it. */
export function asDiscordUser(app: FakeDiscordApp, id: string): Readonly<Record<string, unknown>> {
  const { bot } = app;
  if (id === bot.id) return { id, username: bot.username, global_name: null, discriminator: "0001", avatar: null, bot: true };
  const user = app.users.get(id);
  const isBot = user?.isBot === true;
  return {
    id,
    username: user?.username ?? `user-${id}`,
    global_name: user?.globalName ?? null,
    discriminator: "0",
    avatar: null,
    ...(isBot && { bot: true }),
  };
}

/** A member of the server; without the user as messages have it. */
export function asDiscordMember(app: FakeDiscordApp, id: string): Readonly<Record<string, unknown>> {
  return { nick: null, roles: app.users.get(id)?.roles ?? [], joined_at: "2026-01-01T00:00:00.000000+00:00", deaf: false, mute: false };
}

/** A channel as the platform shows it. */
export function asDiscordChannel(app: FakeDiscordApp, channel: DiscordChannel): Readonly<Record<string, unknown>> {
  const { id, type, name, topic, parentId, recipientId, overwrites = [] } = channel;
  if (type === 1) return { id, type, recipients: recipientId === undefined ? [] : [asDiscordUser(app, recipientId)] };
  return {
    id,
    type,
    guild_id: app.guild.id,
    name,
    ...(topic !== undefined && { topic }),
    parent_id: parentId ?? null,
    permission_overwrites: overwrites.map((rule) => ({ ...rule, type: 0 })),
    ...(type === 11 && { owner_id: app.bot.id, thread_metadata: { archived: false, locked: false, auto_archive_duration: 1_440 } }),
  };
}
