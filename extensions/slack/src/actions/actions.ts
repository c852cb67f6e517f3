import { ACTIONS, ChannelError, messageId } from "@factotum/channel-contract";
import type { ActionMessage, ActionName, ActionResult, ActionTypes, CallOptions, ChannelAction } from "@factotum/channel-contract";
import * as z from "zod";
import type { SlackBot } from "../api/bot-identity.ts";
import type { SlackApi } from "../api/slack-api.ts";
import { namesIn, toHistory } from "../context/history.ts";
import { displayName } from "../context/lookups.ts";
import type { Lookups } from "../context/lookups.ts";
import { readMessages } from "../context/read-messages.ts";
import { emojiOf, KNOWN_EMOJI } from "../emoji.ts";
import { refusalOf, toChannelError } from "../errors.ts";
import { MessageSchema } from "../inbound/event-schema.ts";
import type { SlackMessage } from "../inbound/event-schema.ts";
import type { MessageApi } from "../outbound/message-api.ts";

/** What actions may use. */
export interface ActionParts {
  readonly api: SlackApi;
  readonly bot: SlackBot;
  readonly lookups: Lookups;
  readonly messages: MessageApi;
}

/** One action, on a conversation of the platform. */
type Action<Name extends ActionName> = (
  parts: ActionParts,
  call: { readonly channel: string; readonly threadTs?: string | undefined; readonly parameters: ActionTypes[Name]["parameters"] },
  options: CallOptions,
) => Promise<ActionTypes[Name]["result"]>;

const MembersSchema = z.looseObject({
  members: z.array(z.string()),
  response_metadata: z.looseObject({ next_cursor: z.string().default("") }).optional(),
});
const PinsSchema = z.looseObject({ items: z.array(z.looseObject({ message: z.unknown().optional() })) });
const ReactionsSchema = z.looseObject({
  message: z.looseObject({ reactions: z.array(z.looseObject({ name: z.string(), count: z.number().int().positive() })).default([]) }),
});
const UserSchema = z.looseObject({
  user: z.looseObject({
    id: z.string(),
    name: z.string().default(""),
    real_name: z.string().optional(),
    is_admin: z.boolean().default(false),
    is_owner: z.boolean().default(false),
    profile: z.looseObject({ display_name: z.string().optional(), real_name: z.string().optional() }).optional(),
  }),
});
const ChannelSchema = z.looseObject({
  channel: z.looseObject({ id: z.string(), name: z.string().optional(), topic: z.looseObject({ value: z.string() }).optional() }),
});
const EmojiSchema = z.looseObject({ emoji: z.record(z.string(), z.string()) });

/** Members that are requested at once. */
const MEMBER_PAGE = 1_000;
/** A person beyond these pages counts as absent. */
const MAX_MEMBER_PAGES = 20;

/** The actions by name. */
const RUN: { readonly [Name in ActionName]?: Action<Name> } = {
  pin: async ({ api }, { channel, parameters }, options) => pin(api, "pins.add", { channel, ts: parameters.messageId }, options),
  unpin: async ({ api }, { channel, parameters }, options) => pin(api, "pins.remove", { channel, ts: parameters.messageId }, options),
  "pins-list": async (parts, { channel, threadTs, parameters: { limit } }, options) => {
    const { items } = PinsSchema.parse(await parts.api.call("pins.list", { channel }, options));
    const messages = items.flatMap(({ message }) => {
      const parsed = MessageSchema.safeParse(message);
      return parsed.success && isIn(threadTs, parsed.data) ? [parsed.data] : [];
    });
    return { messages: await describe(parts, messages.slice(0, limit), options) };
  },
  read: async (parts, { channel, threadTs, parameters: { limit, before } }, options) => {
    const messages = await readMessages(parts.api, { channel, threadTs, limit, before }, options);
    return { messages: await describe(parts, messages, options) };
  },
  "reactions-list": async ({ api }, { channel, parameters }, options) => {
    const answer = await api.call("reactions.get", { channel, timestamp: parameters.messageId, full: true }, options);
    const { reactions } = ReactionsSchema.parse(answer).message;
    return { reactions: reactions.map(({ name, count }) => ({ emoji: emojiOf(name), count })) };
  },
  "member-info": async ({ api }, { channel, parameters }, options) => {
    if (!(await isMember(api, { channel, userId: parameters.userId }, options)))
      throw new ChannelError("not-found", "this person is not in the conversation", { retry: { type: "never" } });
    const parsed = UserSchema.parse(await api.call("users.info", { user: parameters.userId }, options));
    const { id, is_admin: isAdmin, is_owner: isOwner } = parsed.user;
    const name = displayName(parsed);
    const roles = [...(isOwner ? ["owner"] : []), ...(isAdmin ? ["admin"] : [])];
    return { id, ...(name !== "" && { name }), ...(roles.length > 0 && { roles }) };
  },
  "channel-info": async ({ api }, { channel }, options) => {
    const { id, name, topic } = ChannelSchema.parse(await api.call("conversations.info", { channel }, options)).channel;
    return { id, ...(name ? { name } : {}), ...(topic?.value ? { topic: topic.value } : {}) };
  },
  "emoji-list": async ({ api }, _, options) => {
    const { emoji } = EmojiSchema.parse(await api.call("emoji.list", {}, options));
    const own = Object.keys(emoji).toSorted();
    return { emoji: [...KNOWN_EMOJI, ...own.map((name) => `:${name}:`)] };
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
  try {
    const channel = await parts.messages.channelOf(target.conversation.id, options);
    return { value: await run(parts, { channel, threadTs: target.conversation.threadId, parameters: parsed.data as never }, options) };
  } catch (error) {
    throw toChannelError(error);
  }
}

/** True for a message of the thread, its first one included; without a thread for every message of the conversation. */
function isIn(threadTs: string | undefined, { ts, thread_ts: of }: SlackMessage): boolean {
  return threadTs === undefined || ts === threadTs || of === threadTs;
}

/** Looks through the members of a conversation, up to MAX_MEMBER_PAGES thousands of them. */
async function isMember(
  api: SlackApi,
  { channel, userId }: { readonly channel: string; readonly userId: string },
  options: CallOptions,
): Promise<boolean> {
  let cursor = "";
  for (let page = 0; page < MAX_MEMBER_PAGES; page += 1) {
    const answer = await api.call("conversations.members", { channel, limit: MEMBER_PAGE, ...(cursor !== "" && { cursor }) }, options);
    const { members, response_metadata: metadata } = MembersSchema.parse(answer);
    if (members.includes(userId)) return true;
    cursor = metadata?.next_cursor ?? "";
    if (cursor === "") return false;
  }
  return false;
}

async function pin(
  api: SlackApi,
  method: "pins.add" | "pins.remove",
  { channel, ts }: { readonly channel: string; readonly ts: string },
  options: CallOptions,
): Promise<object> {
  await api.call(method, { channel, timestamp: ts }, options).catch((error: unknown) => {
    // It is as it should be.
    if (refusalOf(error) !== (method === "pins.add" ? "already_pinned" : "no_pin")) throw error;
  });
  return {};
}

async function describe(
  { bot, lookups }: ActionParts,
  messages: readonly SlackMessage[],
  options: CallOptions,
): Promise<readonly ActionMessage[]> {
  const [self, names] = await Promise.all([bot.get(options), namesIn(messages, lookups, options)]);
  const history = toHistory(messages, { bot: self, names });
  return history.map(({ sender, timestampMs, body }, index) => ({
    messageId: messageId(messages[index]?.ts ?? ""),
    sender,
    timestampMs,
    text: body,
  }));
}
