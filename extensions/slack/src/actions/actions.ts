import { ChannelError } from "@factotum/channel-contract";
import type { ActionName, ActionResult, CallOptions, ChannelAction } from "@factotum/channel-contract";
import * as z from "zod";
import type { BotIdentity } from "../api/bot-identity.ts";
import type { SlackApi } from "../api/slack-api.ts";
import { bodyOf, namesIn, readMessages } from "../context/history.ts";
import { displayName } from "../context/lookups.ts";
import type { Lookups } from "../context/lookups.ts";
import { emojiOf } from "../emoji.ts";
import { refusalOf, toChannelError } from "../errors.ts";
import { MessageSchema } from "../inbound/event-schema.ts";
import type { SlackMessage } from "../inbound/event-schema.ts";
import type { MessageApi } from "../outbound/message-api.ts";

/** What actions may use. */
export interface ActionParts {
  readonly api: SlackApi;
  readonly bot: BotIdentity;
  readonly lookups: Lookups;
  readonly messages: MessageApi;
}

/** One action, on a conversation of the platform. */
interface Action<P> {
  readonly parameters: z.ZodType<P>;
  run(
    parts: ActionParts,
    call: { readonly channel: string; readonly threadTs?: string | undefined; readonly parameters: P },
    options: CallOptions,
  ): Promise<unknown>;
}

const MAX_READ = 100;
const Message = z.strictObject({ messageId: z.string().regex(/^\d+\.\d+$/) });
const None = z.strictObject({});

const PinsSchema = z.looseObject({ items: z.array(z.looseObject({ message: z.unknown().optional() })) });
const ReactionsSchema = z.looseObject({
  message: z.looseObject({
    reactions: z
      .array(z.looseObject({ name: z.string(), users: z.array(z.string()).default([]), count: z.number().default(0) }))
      .default([]),
  }),
});
const UserSchema = z.looseObject({
  user: z.looseObject({
    id: z.string(),
    name: z.string().default(""),
    real_name: z.string().optional(),
    is_bot: z.boolean().default(false),
    deleted: z.boolean().default(false),
    tz: z.string().optional(),
    profile: z
      .looseObject({ display_name: z.string().optional(), real_name: z.string().optional(), title: z.string().optional() })
      .optional(),
  }),
});
const ChannelSchema = z.looseObject({
  channel: z.looseObject({
    id: z.string(),
    name: z.string().default(""),
    is_private: z.boolean().default(false),
    is_archived: z.boolean().default(false),
    num_members: z.number().optional(),
    topic: z.looseObject({ value: z.string() }).optional(),
    purpose: z.looseObject({ value: z.string() }).optional(),
  }),
});
const EmojiSchema = z.looseObject({ emoji: z.record(z.string(), z.string()) });

/** The actions by name: `{ messageId }` names a message of the target, `{ userId }` a person. */
const ACTIONS: Partial<Record<ActionName, Action<unknown>>> = {
  pin: action(Message, async ({ api }, { channel, parameters }, options) =>
    pin(api, "pins.add", { channel, ts: parameters.messageId, done: "already_pinned" }, options),
  ),
  unpin: action(Message, async ({ api }, { channel, parameters }, options) =>
    pin(api, "pins.remove", { channel, ts: parameters.messageId, done: "no_pin" }, options),
  ),
  "pins-list": action(None, async (parts, { channel }, options) => {
    const { items } = PinsSchema.parse(await parts.api.call("pins.list", { channel }, options));
    const messages = items.flatMap(({ message }) => {
      const parsed = MessageSchema.safeParse(message);
      return parsed.success ? [parsed.data] : [];
    });
    return { messages: await describe(parts, messages, options) };
  }),
  /** `limit`: 20 by default, at most 100. `before`: the id of a message. */
  read: action(
    z.strictObject({ limit: z.number().int().min(1).max(MAX_READ).default(20), before: z.string().optional() }),
    async (parts, { channel, threadTs, parameters: { limit, before } }, options) => {
      const messages = await readMessages(parts.api, { channel, threadTs, limit, before }, options);
      return { messages: await describe(parts, messages, options) };
    },
  ),
  "reactions-list": action(Message, async ({ api, lookups }, { channel, parameters }, options) => {
    const answer = await api.call("reactions.get", { channel, timestamp: parameters.messageId, full: true }, options);
    const { reactions } = ReactionsSchema.parse(answer).message;
    const nameOf = async (id: string): Promise<object> => {
      const name = await lookups.people.get(id, options);
      return { id, ...(name !== undefined && { name }) };
    };
    return {
      reactions: await Promise.all(
        reactions.map(async ({ name, users, count }) => ({ emoji: emojiOf(name), count, people: await Promise.all(users.map(nameOf)) })),
      ),
    };
  }),
  "member-info": action(z.strictObject({ userId: z.string().regex(/^[UW][A-Z0-9]+$/) }), async ({ api }, { parameters }, options) => {
    const parsed = UserSchema.parse(await api.call("users.info", { user: parameters.userId }, options));
    const { id, name: handle, is_bot: isBot, deleted: isDeactivated, tz: timeZone, profile } = parsed.user;
    return { id, name: displayName(parsed), handle, isBot, isDeactivated, timeZone, title: profile?.title };
  }),
  "channel-info": action(None, async ({ api }, { channel }, options) => {
    const answer = await api.call("conversations.info", { channel, include_num_members: true }, options);
    const {
      id,
      name,
      is_private: isPrivate,
      is_archived: isArchived,
      num_members: members,
      topic,
      purpose,
    } = ChannelSchema.parse(answer).channel;
    return { id, name, isPrivate, isArchived, members, topic: topic?.value, purpose: purpose?.value };
  }),
  "emoji-list": action(None, async ({ api }, _, options) => {
    const { emoji } = EmojiSchema.parse(await api.call("emoji.list", {}, options));
    return { emoji: Object.keys(emoji).toSorted() };
  }),
};

/** Runs an action; rejects with a ChannelError. */
export async function runAction(
  parts: ActionParts,
  { name, target, parameters }: ChannelAction,
  options: CallOptions,
): Promise<ActionResult> {
  const found = ACTIONS[name];
  if (found === undefined) throw new ChannelError("rejected", `this channel does not do ${name}`, { retry: { type: "never" } });
  const parsed = found.parameters.safeParse(parameters);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const text = `${name}: ${issue?.path.join(".") ?? ""}: ${issue?.message ?? "the parameters are wrong"}`;
    throw new ChannelError("rejected", text, { retry: { type: "never" }, cause: parsed.error });
  }
  try {
    const channel = await parts.messages.channelOf(target.conversation.id, options);
    const value = await found.run(parts, { channel, threadTs: target.conversation.threadId, parameters: parsed.data }, options);
    return { value: JSON.parse(JSON.stringify(value)) as unknown };
  } catch (error) {
    throw toChannelError(error);
  }
}

/** Erases the type of the parameters: they are parsed before `run` gets them. */
function action<P>(parameters: z.ZodType<P>, run: Action<P>["run"]): Action<unknown> {
  return { parameters, run: run as Action<unknown>["run"] };
}

async function pin(
  api: SlackApi,
  method: "pins.add" | "pins.remove",
  { channel, ts, done }: { readonly channel: string; readonly ts: string; readonly done: string },
  options: CallOptions,
): Promise<object> {
  await api.call(method, { channel, timestamp: ts }, options).catch((error: unknown) => {
    // It is as it should be.
    if (refusalOf(error) !== done) throw error;
  });
  return { messageId: ts, isPinned: method === "pins.add" };
}

async function describe(
  { bot, lookups }: ActionParts,
  messages: readonly SlackMessage[],
  options: CallOptions,
): Promise<readonly object[]> {
  const [self, names] = await Promise.all([bot.get(options), namesIn(messages, lookups, options)]);
  return messages.map((message) => ({
    messageId: message.ts,
    senderId: message.user ?? message.bot_id ?? undefined,
    sender: names.get(message.user ?? "") ?? message.username ?? undefined,
    ...(message.thread_ts !== undefined && message.thread_ts !== message.ts && { threadId: message.thread_ts }),
    text: bodyOf(message, { bot: self, names }),
  }));
}
