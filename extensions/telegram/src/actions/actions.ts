import { ACTIONS, ChannelError } from "@factotum/channel-contract";
import type { ActionName, ActionResult, ActionTypes, CallOptions, ChannelAction } from "@factotum/channel-contract";
import * as z from "zod";
import type { TelegramBot } from "../api/bot-identity.ts";
import type { TelegramApi } from "../api/telegram-api.ts";
import { nameOf } from "../conversation-id.ts";
import { isRefusal, toChannelError } from "../errors.ts";
import { requireMessageNumber } from "../outbound/message-api.ts";
import { REACTIONS } from "./reactions.ts";

/** What actions may use. */
export interface ActionParts {
  readonly api: TelegramApi;
  readonly bot: TelegramBot;
}

/** One action, in a chat of the platform. */
type Action<Name extends ActionName> = (
  parts: ActionParts,
  call: { readonly chat: string; readonly parameters: ActionTypes[Name]["parameters"] },
  options: CallOptions,
) => Promise<ActionTypes[Name]["result"]>;

const ChatSchema = z.looseObject({
  id: z.number(),
  title: z.string().optional(),
  first_name: z.string().optional(),
  description: z.string().optional(),
  available_reactions: z.array(z.looseObject({ emoji: z.string().optional() })).optional(),
});
const MemberSchema = z.looseObject({
  status: z.string(),
  user: z.looseObject({
    id: z.number(),
    first_name: z.string().default(""),
    last_name: z.string().optional(),
    is_bot: z.boolean().default(false),
  }),
});
const TopicSchema = z.looseObject({ message_thread_id: z.number() });
const MAX_TOPIC_NAME = 128;

/** The actions by name. */
const RUN: { readonly [Name in ActionName]?: Action<Name> } = {
  pin: async ({ api }, { chat, parameters }, options) => {
    const message = { chat_id: chat, message_id: requireMessageNumber(parameters.messageId), disable_notification: true };
    await api.call("pinChatMessage", message, options);
    return {};
  },
  unpin: async ({ api }, { chat, parameters }, options) => {
    await api
      .call("unpinChatMessage", { chat_id: chat, message_id: requireMessageNumber(parameters.messageId) }, options)
      .catch((error: unknown) => {
        // It is as it should be.
        if (!isRefusal(error, /not pinned|not modified/)) throw error;
      });
    return {};
  },
  "thread-create": async ({ api }, { chat, parameters }, options) => {
    const name = parameters.name.slice(0, MAX_TOPIC_NAME).toWellFormed();
    const { message_thread_id: id } = TopicSchema.parse(await api.call("createForumTopic", { chat_id: chat, name }, options));
    return { threadId: String(id) };
  },
  "member-info": async ({ api }, { chat, parameters }, options) => {
    const found = MemberSchema.parse(await api.call("getChatMember", { chat_id: chat, user_id: Number(parameters.userId) }, options));
    if (["left", "kicked"].includes(found.status))
      throw new ChannelError("not-found", "this person is not in the conversation", { retry: { type: "never" } });
    const name = nameOf(found.user);
    const roles = found.status === "creator" ? ["owner"] : found.status === "administrator" ? ["admin"] : [];
    return { id: String(found.user.id), ...(name !== "" && { name }), ...(roles.length > 0 && { roles }) };
  },
  "channel-info": async ({ api }, { chat }, options) => {
    const { id, title, first_name: first, description } = ChatSchema.parse(await api.call("getChat", { chat_id: chat }, options));
    const name = title ?? first;
    return { id: String(id), ...(name ? { name } : {}), ...(description ? { topic: description } : {}) };
  },
  "emoji-list": async ({ api }, { chat }, options) => {
    const { available_reactions: available } = ChatSchema.parse(await api.call("getChat", { chat_id: chat }, options));
    // Without a list all of the platform's reactions are allowed.
    return { emoji: [...new Set(available?.flatMap(({ emoji }) => emoji ?? []) ?? REACTIONS)] };
  },
  permissions: async ({ api, bot }, { chat }, options) => {
    const { id } = await bot.get(options);
    const member = MemberSchema.parse(await api.call("getChatMember", { chat_id: chat, user_id: Number(id) }, options));
    const granted = Object.entries(member).flatMap(([key, value]) => (key.startsWith("can_") && value === true ? [key] : []));
    return { granted: [member.status, ...granted] };
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
    return { value: await run(parts, { chat: target.conversation.id, parameters: parsed.data as never }, options) };
  } catch (error) {
    throw toChannelError(error);
  }
}
