import { asDiscordChannel, asDiscordMember, asDiscordUser } from "./app.ts";
import type { DiscordChannel, DiscordCommand, FakeDiscordApp } from "./app.ts";
import { checkCommands, checkContent } from "./checks.ts";
import type { DiscordBody } from "./checks.ts";
import type { DiscordInteractions } from "./interactions.ts";
import { asDiscordMessage, asEmoji } from "./message-store.ts";
import type { DiscordMessage, DiscordMessageStore } from "./message-store.ts";
import { DiscordRefusal, invalidField, missingAccess, unknownChannel, unknownMessage, unknownUser } from "./refusal.ts";

/** What routes work on. */
export interface DiscordRouteContext {
  readonly app: FakeDiscordApp;
  readonly store: DiscordMessageStore;
  readonly interactions: DiscordInteractions;
  readonly address: () => string;
  /** Signs of typing, by channel. */
  readonly typing: string[];
}

/** One request. */
interface DiscordRouteRequest {
  /** The variable parts of the path. */
  readonly keys: readonly string[];
  readonly query: URLSearchParams;
  readonly body: DiscordBody;
}

/** One route of the API. */
export interface DiscordRoute {
  readonly method: string;
  readonly path: RegExp;
  /** It shows, changes or removes something. */
  readonly isChange?: true;
  /** It needs no token: the path has one. */
  readonly isOpen?: true;
  call(request: DiscordRouteRequest, context: DiscordRouteContext): unknown;
}

const MESSAGES = String.raw`/channels/([^/]+)/messages`;
const REACTION = String.raw`${MESSAGES}/([^/]+)/reactions/([^/]+)/@me`;

function route(
  method: string,
  path: string,
  call: DiscordRoute["call"],
  more: Pick<DiscordRoute, "isChange" | "isOpen"> = {},
): DiscordRoute {
  return { method, path: new RegExp(`^${path}$`), call, ...more };
}

/** The routes of the API that the fake has. */
export const DISCORD_ROUTES: readonly DiscordRoute[] = [
  route("GET", "/gateway", (_, { address }) => ({ url: address().replace("http", "ws") })),
  route("GET", "/gateway/bot", (_, { app, address }) => ({
    url: address().replace("http", "ws"),
    shards: 1,
    session_start_limit: { total: 1_000, remaining: app.startsLeft, reset_after: app.startsResetAfterMs, max_concurrency: 1 },
  })),
  route("GET", "/users/@me", (_, { app }) => asDiscordUser(app, app.bot.id)),
  route("GET", "/applications/@me", (_, { app }) => ({
    id: app.applicationId,
    name: app.bot.username,
    flags: app.readsContent ? 1 << 19 : 0,
    bot: asDiscordUser(app, app.bot.id),
  })),
  route("GET", "/users/@me/guilds", (_, { app }) => [{ id: app.guild.id, name: app.guild.name, permissions: "0" }]),
  route("GET", String.raw`/users/(\d+)`, ({ keys: [id = ""] }, { app }) => {
    if (!app.users.has(id) && id !== app.bot.id) throw unknownUser();
    return asDiscordUser(app, id);
  }),
  route("POST", "/users/@me/channels", ({ body }, { app }) => openDirect(app, String(body.json["recipient_id"]))),
  route("GET", String.raw`/guilds/(\d+)/channels`, (_, { app }) =>
    [...app.channels.values()].filter(({ type }) => type !== 1 && type !== 11).map((channel) => asDiscordChannel(app, channel)),
  ),
  route("GET", String.raw`/guilds/(\d+)/roles`, (_, { app }) => app.roles),
  route("GET", String.raw`/guilds/(\d+)/emojis`, () => [{ id: "300000000000000001", name: "shipit", available: true }]),
  route("GET", String.raw`/guilds/(\d+)/members/search`, ({ query }, { app }) => {
    const wanted = (query.get("query") ?? "").toLowerCase();
    const found = [...app.users.values()].filter(({ username, globalName = "" }) =>
      [username, globalName].some((name) => name.toLowerCase().startsWith(wanted)),
    );
    return found.map(({ id }) => ({ ...asDiscordMember(app, id), user: asDiscordUser(app, id) }));
  }),
  route("GET", String.raw`/guilds/(\d+)/members/(\d+)`, ({ keys: [, id = ""] }, { app }) => {
    if (!app.users.has(id) && id !== app.bot.id) throw new DiscordRefusal(404, 10_007, "Unknown Member");
    const roles = id === app.bot.id ? { roles: app.roles.filter(({ tags }) => tags?.bot_id === id).map((role) => role.id) } : {};
    return { ...asDiscordMember(app, id), ...roles, user: asDiscordUser(app, id) };
  }),
  route("GET", String.raw`/guilds/(\d+)/threads/active`, (_, { app }) => ({
    threads: [...app.channels.values()].filter(({ type }) => type === 11).map((thread) => asDiscordChannel(app, thread)),
    members: [],
  })),
  route("GET", "/channels/([^/]+)/threads/archived/public", () => ({ threads: [], members: [], has_more: false })),
  route("GET", "/channels/([^/]+)", ({ keys: [id = ""] }, context) => asDiscordChannel(context.app, seen(id, context, true))),
  route("GET", MESSAGES, ({ keys: [id = ""], query }, context) => {
    seen(id, context, true);
    const before = query.get("before");
    const all = context.store.inChannel(id).filter((message) => before === null || BigInt(message.id) < BigInt(before));
    return all
      .slice(-Number(query.get("limit") ?? 50))
      .toReversed()
      .map((message) => shown(message, context));
  }),
  route("GET", `${MESSAGES}/([^/]+)`, ({ keys }, context) => shown(messageAt(keys, context, true), context)),
  route("POST", MESSAGES, ({ keys: [id = ""], body }, context) => createMessage(id, body, context), { isChange: true }),
  route("PATCH", `${MESSAGES}/([^/]+)`, ({ keys, body }, context) => editMessage(messageAt(keys, context), body, context), {
    isChange: true,
  }),
  route(
    "DELETE",
    `${MESSAGES}/([^/]+)`,
    ({ keys }, context) => {
      messageAt(keys, context).deleted = true;
    },
    { isChange: true },
  ),
  route(
    "PUT",
    REACTION,
    ({ keys }, context) => {
      const emoji = decodeURIComponent(keys[2] ?? "");
      if (!/^\w+:\d+$/.test(emoji) && !/\p{Emoji_Presentation}|\uFE0F/u.test(emoji)) throw new DiscordRefusal(400, 10_014, "Unknown Emoji");
      const { reactions } = messageAt(keys, context);
      reactions.set(emoji, (reactions.get(emoji) ?? new Set()).add(context.app.bot.id));
    },
    { isChange: true },
  ),
  route(
    "DELETE",
    REACTION,
    ({ keys }, context) => {
      const { reactions } = messageAt(keys, context);
      const emoji = decodeURIComponent(keys[2] ?? "");
      const users = reactions.get(emoji);
      if (users === undefined) throw new DiscordRefusal(400, 10_014, "Unknown Emoji");
      users.delete(context.app.bot.id);
      if (users.size === 0) reactions.delete(emoji);
    },
    { isChange: true },
  ),
  route("POST", "/channels/([^/]+)/typing", ({ keys: [id = ""] }, context) => {
    context.typing.push(seen(id, context).id);
  }),
  route("GET", "/channels/([^/]+)/pins", ({ keys: [id = ""] }, context) => {
    seen(id, context, true);
    return context.store
      .inChannel(id)
      .filter(({ pinned }) => pinned)
      .toReversed()
      .map((message) => shown(message, context));
  }),
  route("PUT", "/channels/([^/]+)/pins/([^/]+)", ({ keys }, context) => {
    messageAt(keys, context).pinned = true;
  }),
  route("DELETE", "/channels/([^/]+)/pins/([^/]+)", ({ keys }, context) => {
    messageAt(keys, context).pinned = false;
  }),
  route("POST", "/channels/([^/]+)/messages/([^/]+)/threads", ({ keys, body }, context) => {
    const message = messageAt(keys, context);
    if (context.app.channels.has(message.id)) throw new DiscordRefusal(400, 160_004, "A thread has already been created for this message");
    return addThread(context.app, { id: message.id, parentId: message.channelId, name: String(body.json["name"]) });
  }),
  route("POST", "/channels/([^/]+)/threads", ({ keys: [id = ""], body }, context) => {
    const { id: parentId, type } = seen(id, context);
    if (type !== 15 && body.json["type"] !== 11) throw invalidField("type", "BASE_TYPE_REQUIRED");
    return addThread(context.app, { id: context.app.nextId(), parentId, name: String(body.json["name"]) });
  }),
  route("GET", "/applications/([^/]+)/commands", (_, { app }) => app.commands.map((command) => ({ id: "1", type: 1, ...command }))),
  route("PUT", "/applications/([^/]+)/commands", ({ body }, { app }) => {
    checkCommands(body.json);
    app.commands = body.json as unknown as readonly DiscordCommand[];
    return app.commands;
  }),
  route(
    "POST",
    "/interactions/([^/]+)/([^/]+)/callback",
    ({ keys: [id = "", token = ""], body }, { interactions }) => interactions.callback(id, token, body),
    { isOpen: true },
  ),
  route(
    "PATCH",
    "/webhooks/([^/]+)/([^/]+)/messages/@original",
    ({ keys: [, token = ""], body }, context) => shown(context.interactions.editOriginal(token, body), context),
    { isChange: true, isOpen: true },
  ),
  route(
    "POST",
    "/webhooks/([^/]+)/([^/]+)",
    ({ keys: [, token = ""], body }, context) => shown(context.interactions.followUp(token, body), context),
    { isChange: true, isOpen: true },
  ),
];

function shown(message: DiscordMessage, { app, store, address }: DiscordRouteContext): unknown {
  return asDiscordMessage(app, store, message, { address: address() });
}

/** The channel, if the bot sees it. */
function seen(id: string, { app }: DiscordRouteContext, isRead = false): DiscordChannel {
  if (!/^\d+$/.test(id)) throw invalidField("channel_id", "NUMBER_TYPE_COERCE");
  if (app.hidden.has(id) || (isRead && app.refusesReads)) throw missingAccess();
  const channel = app.channels.get(id);
  if (channel === undefined) throw unknownChannel();
  return channel;
}

function messageAt([channelId = "", id = ""]: readonly string[], context: DiscordRouteContext, isRead = false): DiscordMessage {
  seen(channelId, context, isRead);
  if (!/^\d+$/.test(id)) throw invalidField("message_id", "NUMBER_TYPE_COERCE");
  const message = context.store.find(channelId, id);
  if (message === undefined) throw unknownMessage();
  return message;
}

function createMessage(channelId: string, body: DiscordBody, context: DiscordRouteContext): unknown {
  const { app, store } = context;
  seen(channelId, context);
  const { content = "", files, buttons = [], poll, flags = 0, allowedMentions } = checkContent(body);
  if (content.trim() === "" && files.length === 0 && poll === undefined)
    throw new DiscordRefusal(400, 50_006, "Cannot send an empty message");
  const {
    nonce,
    enforce_nonce: isEnforced,
    message_reference: reference,
  } = body.json as {
    readonly nonce?: string;
    readonly enforce_nonce?: boolean;
    readonly message_reference?: { readonly message_id: string };
  };
  if (nonce !== undefined && nonce.length > 25) throw invalidField("nonce", "BASE_TYPE_MAX_LENGTH");
  const before = isEnforced === true ? store.messages.find((one) => one.nonce === nonce && one.authorId === app.bot.id) : undefined;
  if (before !== undefined) return shown(before, context);
  const replyTo = reference === undefined ? undefined : store.find(channelId, reference.message_id)?.id;
  const message = store.add({
    channelId,
    authorId: app.bot.id,
    content: content.trim(),
    files: files.map((file) => ({ ...file, id: app.nextId() })),
    buttons,
    flags,
    allowedMentions,
    nonce,
    ...(poll !== undefined && { poll }),
    ...(replyTo !== undefined && { replyTo }),
  });
  return shown(message, context);
}

function editMessage(message: DiscordMessage, body: DiscordBody, context: DiscordRouteContext): unknown {
  if (message.authorId !== context.app.bot.id) throw new DiscordRefusal(403, 50_005, "Cannot edit a message authored by another user");
  const { content, buttons, allowedMentions } = checkContent(body);
  if (content !== undefined) message.content = content.trim();
  if (buttons !== undefined) message.buttons = buttons;
  message.allowedMentions = allowedMentions;
  message.editedAtMs = context.app.now();
  message.edits += 1;
  return shown(message, context);
}

function openDirect(app: FakeDiscordApp, recipientId: string): unknown {
  if (!app.users.has(recipientId)) throw invalidField("recipient_id", "USER_ID_INVALID");
  const known = [...app.channels.values()].find((channel) => channel.type === 1 && channel.recipientId === recipientId);
  const channel = known ?? { id: app.nextId(), type: 1, recipientId };
  app.channels.set(channel.id, channel);
  return asDiscordChannel(app, channel);
}

function addThread(
  app: FakeDiscordApp,
  { id, parentId, name }: { readonly id: string; readonly parentId: string; readonly name: string },
): unknown {
  const thread: DiscordChannel = { id, type: 11, parentId, name };
  app.channels.set(id, thread);
  return asDiscordChannel(app, thread);
}

/** The data of a reaction's event. */
export function reactionData(
  { app }: Pick<DiscordRouteContext, "app">,
  message: DiscordMessage,
  { userId, emoji }: { readonly userId: string; readonly emoji: string },
): Readonly<Record<string, unknown>> {
  const isDirect = app.channels.get(message.channelId)?.type === 1;
  return {
    user_id: userId,
    channel_id: message.channelId,
    message_id: message.id,
    message_author_id: message.authorId,
    emoji: asEmoji(emoji),
    burst: false,
    type: 0,
    ...(!isDirect && { guild_id: app.guild.id, member: { ...asDiscordMember(app, userId), user: asDiscordUser(app, userId) } }),
  };
}
