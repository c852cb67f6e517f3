import { ACTIONS, ChannelError } from "@factotum/channel-contract";
import type { ActionName, ActionResult, ActionTypes, CallOptions, ChannelAction, Conversation } from "@factotum/channel-contract";
import * as z from "zod";
import type { DiscordBot } from "../api/bot-identity.ts";
import type { DiscordApi } from "../api/discord-api.ts";
import type { GuildRoles } from "../context/guild-roles.ts";
import { parseMessages, readMessages, toActionMessages } from "../context/history.ts";
import { textContext } from "../context/message-context.ts";
import type { Places } from "../context/places.ts";
import { isRefusal, toChannelError } from "../errors.ts";
import { MemberSchema, UserSchema } from "../inbound/event-schema.ts";
import { emojiOf } from "../inbound/parse-events.ts";
import { nameOf } from "../inbound/parse-text.ts";
import { requireMessageId } from "../snowflake.ts";
import { permissionsOf } from "./permissions.ts";

/** What actions may use. */
export interface ActionParts {
  readonly api: DiscordApi;
  readonly bot: DiscordBot;
  readonly places: Places;
  readonly roles: GuildRoles;
}

/** Where an action is done: the channel, thread or direct chat, and the address that it was called with. */
interface ActionPlace {
  readonly channel: string;
  readonly conversation: Conversation;
}

type Action<Name extends ActionName> = (
  parts: ActionParts,
  call: ActionPlace & { readonly parameters: ActionTypes[Name]["parameters"] },
  options: CallOptions,
) => Promise<ActionTypes[Name]["result"]>;

const ReactionsSchema = z.looseObject({
  reactions: z
    .array(
      z.looseObject({ count: z.number().int().positive(), emoji: z.looseObject({ id: z.string().nullish(), name: z.string().nullish() }) }),
    )
    .default([]),
});
const ThreadSchema = z.looseObject({ id: z.string().min(1), name: z.string().nullish(), parent_id: z.string().nullish() });
const ThreadsSchema = z.looseObject({ threads: z.array(ThreadSchema).default([]) });
const EmojiSchema = z.array(z.looseObject({ id: z.string().nullish(), name: z.string().nullish(), available: z.boolean().default(true) }));
const OverwritesSchema = z.looseObject({
  permission_overwrites: z
    .array(z.looseObject({ id: z.string(), allow: z.string().regex(/^\d+$/), deny: z.string().regex(/^\d+$/) }))
    .default([]),
});

const MAX_THREAD_NAME = 100;
const PUBLIC_THREAD = 11;
/** Channels whose messages are threads: forums and media. */
const POSTS: readonly number[] = [15, 16];
/** Reactions that every server has; a server's own are added. */
const COMMON_EMOJI = "👍 👎 ❤️ 😂 🎉 😮 😢 🙏 👀 ✅ ❌ 🔥 💯 🤔 👏 🚀".split(" ");

/** The actions by name. */
const RUN: { readonly [Name in ActionName]?: Action<Name> } = {
  pin: async ({ api }, { channel, parameters }, options) => {
    const id = requireMessageId(parameters.messageId);
    await api.call("the pin", (sdk, given) => sdk.channels.pinMessage(channel, id, given), options);
    return {};
  },
  unpin: async ({ api }, { channel, parameters }, options) => {
    const id = requireMessageId(parameters.messageId);
    await api.call("the pin", (sdk, given) => sdk.channels.unpinMessage(channel, id, given), options);
    return {};
  },
  "pins-list": async (parts, { channel, parameters }, options) => {
    const answer: unknown = await parts.api.call("the pins", (sdk, given) => sdk.channels.getPins(channel, given), options);
    const pinned = parseMessages(answer).slice(0, parameters.limit);
    return { messages: toActionMessages(pinned, await textContext(parts, options)) };
  },
  read: async (parts, { channel, parameters }, options) => {
    const messages = await readMessages(parts.api, { channel, ...parameters }, options);
    return { messages: toActionMessages(messages, await textContext(parts, options)) };
  },
  "reactions-list": async ({ api }, { channel, parameters }, options) => {
    const id = requireMessageId(parameters.messageId);
    const { reactions } = ReactionsSchema.parse(
      await api.call("the message", (sdk, given) => sdk.channels.getMessage(channel, id, given), options),
    );
    return { reactions: reactions.map(({ emoji, count }) => ({ emoji: emojiOf(emoji), count })) };
  },
  "thread-create": async ({ api, places }, { conversation: { id: channel }, parameters }, options) => {
    const name = parameters.name.slice(0, MAX_THREAD_NAME).toWellFormed();
    const at = parameters.messageId === undefined ? undefined : requireMessageId(parameters.messageId);
    const isForum = at === undefined && POSTS.includes((await places.get(channel, options))?.type ?? 0);
    const thread = await api.call(
      "the thread",
      (sdk, given) =>
        isForum
          ? sdk.channels.createForumThread(channel, { name, message: { content: name, allowed_mentions: { parse: [] } } }, given)
          : sdk.channels.createThread(channel, { name, ...(at === undefined && { type: PUBLIC_THREAD }) }, at, given),
      options,
    );
    return { threadId: ThreadSchema.parse(thread).id };
  },
  "thread-list": async (parts, { conversation, parameters }, options) => {
    const { api } = parts;
    const { id: channel } = conversation;
    const guildId = await requireGuild(parts, conversation, options);
    const [active, archived] = await Promise.all([
      api.call("the threads", (sdk, given) => sdk.guilds.getActiveThreads(guildId, given), options),
      // Without the right to read the history, only the active ones are known.
      api
        .call(
          "the threads",
          (sdk, given) => sdk.channels.getArchivedThreads(channel, "public", { limit: parameters.limit }, given),
          options,
        )
        .catch((error: unknown) => {
          if (isRefusal(error, "50001", "50013", "50024")) return {};
          throw error;
        }),
    ]);
    const threads = [active, archived]
      .flatMap((answer) => ThreadsSchema.parse(answer).threads)
      .filter(({ parent_id: parent }) => parent === channel);
    return { threads: threads.slice(0, parameters.limit).map(({ id, name }) => ({ threadId: id, ...(name && { name }) })) };
  },
  "member-info": async (parts, { conversation, parameters }, options) => {
    const { api, roles } = parts;
    const userId = requireMessageId(parameters.userId);
    if (conversation.kind !== "channel") {
      const user = UserSchema.parse(await api.call("the person", (sdk, given) => sdk.users.get(userId, given), options));
      return { id: user.id, name: nameOf(user) };
    }
    const guildId = await requireGuild(parts, conversation, options);
    const member = MemberSchema.parse(await api.call("the person", (sdk, given) => sdk.guilds.getMember(guildId, userId, given), options));
    const names = new Map(((await roles.get(guildId, options)) ?? []).map(({ id, name }) => [id, name]));
    const held = (member.roles ?? []).flatMap((id) => names.get(id) ?? []);
    return { id: userId, ...(member.user !== undefined && { name: nameOf(member.user, member) }), ...(held.length > 0 && { roles: held }) };
  },
  "channel-info": async ({ places }, { channel, conversation }, options) => {
    const place = await places.get(channel, options);
    if (place === undefined) throw new ChannelError("forbidden", "the bot does not see this channel", { retry: { type: "never" } });
    const { name, topic } = place;
    return { id: conversation.threadId ?? conversation.id, ...(name !== "" && { name }), ...(topic !== "" && { topic }) };
  },
  "emoji-list": async (parts, { conversation }, options) => {
    if (conversation.kind !== "channel") return { emoji: COMMON_EMOJI };
    const guildId = await requireGuild(parts, conversation, options);
    const own = EmojiSchema.parse(await parts.api.call("the emoji", (sdk, given) => sdk.guilds.getEmojis(guildId, given), options));
    return { emoji: [...new Set([...COMMON_EMOJI, ...own.filter(({ available }) => available).map(emojiOf)])] };
  },
  permissions: async (parts, { conversation }, options) => {
    const { api, bot, roles } = parts;
    if (conversation.kind !== "channel") return { granted: ["SEND_MESSAGES", "ATTACH_FILES", "ADD_REACTIONS", "READ_MESSAGE_HISTORY"] };
    const guildId = await requireGuild(parts, conversation, options);
    const { id: userId } = await bot.get(options);
    const [member, found, channel] = await Promise.all([
      api.call("the member", (sdk, given) => sdk.guilds.getMember(guildId, userId, given), options),
      roles.get(guildId, options),
      // A thread has the rules of its channel.
      api.call("the channel", (sdk, given) => sdk.channels.get(conversation.id, given), options),
    ]);
    const { roles: memberRoles = [] } = MemberSchema.parse(member);
    const overwrites = OverwritesSchema.parse(channel).permission_overwrites;
    return { granted: permissionsOf({ guildId, userId, memberRoles, roles: found ?? [], overwrites }) };
  },
};

/** Runs an action; rejects with a ChannelError. */
export async function runAction(
  parts: ActionParts,
  { name, target, parameters }: ChannelAction,
  options: CallOptions,
): Promise<ActionResult> {
  // The gateway has parsed the parameters; a caller of another kind may not have.
  const run = RUN[name] as Action<ActionName> | undefined;
  if (run === undefined) throw new ChannelError("rejected", `this channel does not do ${name}`, { retry: { type: "never" } });
  const parsed = ACTIONS[name].parameters.safeParse(parameters);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const text = `${name}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "the parameters are wrong"}`;
    throw new ChannelError("rejected", text, { retry: { type: "never" }, cause: parsed.error });
  }
  const { conversation } = target;
  try {
    const call = { channel: conversation.threadId ?? conversation.id, conversation, parameters: parsed.data as never };
    return { value: await run(parts, call, options) };
  } catch (error) {
    throw toChannelError(error);
  }
}

/** The server of a conversation; addresses that people typed do not have it. */
async function requireGuild({ places }: ActionParts, { id, spaceId }: Conversation, options: CallOptions): Promise<string> {
  const guildId = spaceId ?? (await places.get(id, options))?.guildId;
  if (guildId === undefined) throw new ChannelError("rejected", "this is not a channel of a server", { retry: { type: "never" } });
  return guildId;
}
