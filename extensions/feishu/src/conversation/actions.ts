import { ACTIONS, ChannelError, messageId } from "@factotum/channel-contract";
import type { ActionName, ActionTypes, CallOptions, ChannelAction, Origin } from "@factotum/channel-contract";
import * as z from "zod";
import type { FeishuApi } from "../api/feishu-api.ts";
import type { ReadApi } from "../context/read-api.ts";
import { toChannelError } from "../errors.ts";
import { EMOJI_NAMES, emojiOf } from "../outbound/emoji.ts";
import { readMessages, toActionMessage } from "./history.ts";
import type { HistoryParts } from "./history.ts";

/** What actions are performed with. */
export interface ActionParts extends HistoryParts {
  readonly api: FeishuApi;
  readonly read: ReadApi;
}

interface ActionCall extends CallOptions {
  readonly target: Origin;
}

type Performers = {
  readonly [Name in ActionName]?: (
    parts: ActionParts,
    parameters: ActionTypes[Name]["parameters"],
    call: ActionCall,
  ) => Promise<ActionTypes[Name]["result"]>;
};

const PAGE_SIZE = 50;
const MAX_PAGES = 4;
const PinsSchema = z.looseObject({ data: z.looseObject({ items: z.array(z.looseObject({ message_id: z.string().min(1) })).default([]) }) });
const ReactionsSchema = z.looseObject({
  data: z.looseObject({
    items: z.array(z.looseObject({ reaction_type: z.looseObject({ emoji_type: z.string() }) })).default([]),
    page_token: z.string().optional(),
    has_more: z.boolean().optional(),
  }),
});
const ChatSchema = z.looseObject({
  data: z.looseObject({ name: z.string().default(""), description: z.string().default(""), owner_id: z.string().optional() }),
});

const PERFORMERS = {
  async pin(parts, { messageId: id }, call) {
    await mustBeIn(parts, id, call);
    await parts.api.call({ method: "POST", path: "/im/v1/pins", data: { message_id: id } }, call);
    return {};
  },
  async unpin(parts, { messageId: id }, call) {
    await mustBeIn(parts, id, call);
    await parts.api.call({ method: "DELETE", path: `/im/v1/pins/${encodeURIComponent(id)}` }, call);
    return {};
  },
  async "pins-list"(parts, { limit }, call) {
    const { id, threadId } = call.target.conversation;
    const { data } = await parts.read(PinsSchema, "/im/v1/pins", { chat_id: id, page_size: PAGE_SIZE }, call);
    const messages: ActionTypes["read"]["result"]["messages"][number][] = [];
    for (const { message_id: pinned } of data.items) {
      if (messages.length >= limit) break;
      const place = await parts.context.placeOf(pinned, call);
      const message = await parts.context.messageOf(pinned, call);
      if (message === undefined || (threadId !== undefined && place?.threadRootId !== threadId)) continue;
      messages.push(await toActionMessage(parts, call.target, message, call));
    }
    return { messages };
  },
  async read(parts, { limit, before }, call) {
    return { messages: await readMessages(parts, call.target, { signal: call.signal, limit, before }) };
  },
  async "reactions-list"(parts, { messageId: id }, call) {
    await mustBeIn(parts, id, call);
    const counts = new Map<string, number>();
    let token = "";
    for (let page = 0; page < MAX_PAGES; page += 1) {
      const params = { page_size: PAGE_SIZE, ...(token === "" ? {} : { page_token: token }) };
      const { data } = await parts.read(ReactionsSchema, `/im/v1/messages/${encodeURIComponent(id)}/reactions`, params, call);
      for (const { reaction_type: type } of data.items) {
        const emoji = emojiOf(type.emoji_type);
        counts.set(emoji, (counts.get(emoji) ?? 0) + 1);
      }
      token = data.page_token ?? "";
      if (data.has_more !== true || token === "") break;
    }
    return { reactions: [...counts].map(([emoji, count]) => ({ emoji, count })) };
  },
  async "member-info"(parts, { userId }, call) {
    const { id } = call.target.conversation;
    const name = (await parts.context.memberNames(id, call)).get(userId);
    if (name === undefined) throw refusal("not-found", `nobody in this chat has the id ${userId}`);
    const { data } = await parts.read(ChatSchema, chatPath(id), { user_id_type: "open_id" }, call);
    return { id: userId, name, ...(data.owner_id === userId && { roles: ["owner"] }) };
  },
  async "channel-info"(parts, _parameters, call) {
    const { id } = call.target.conversation;
    const { data } = await parts.read(ChatSchema, chatPath(id), { user_id_type: "open_id" }, call);
    return { id, ...(data.name !== "" && { name: data.name }), ...(data.description !== "" && { topic: data.description }) };
  },
  "emoji-list": () => Promise.resolve({ emoji: EMOJI_NAMES }),
} satisfies Performers;

/** The actions of the channel. */
export const FEISHU_ACTIONS: readonly ActionName[] = Object.keys(PERFORMERS) as (keyof typeof PERFORMERS)[];

/** As `Channel.act`, with the value of the result. */
export async function performAction(
  parts: ActionParts,
  { name, target, parameters }: ChannelAction,
  options: CallOptions,
): Promise<unknown> {
  const perform = (PERFORMERS as Performers)[name] as
    | ((parts: ActionParts, parameters: unknown, call: ActionCall) => Promise<unknown>)
    | undefined;
  if (perform === undefined) throw refusal("rejected", `this channel does not do ${name}`);
  const parsed = ACTIONS[name].parameters.safeParse(parameters);
  if (!parsed.success) throw refusal("rejected", `the parameters of ${name} are not valid`);
  try {
    return await perform(parts, parsed.data, { ...options, target });
  } catch (error) {
    throw toChannelError(error);
  }
}

/** A message id names a message anywhere: an action reaches only those of its conversation. */
async function mustBeIn({ context }: ActionParts, id: string, call: ActionCall): Promise<void> {
  const { conversation } = call.target;
  const place = await context.placeOf(id, call);
  const isIn =
    place?.chatId === conversation.id &&
    (conversation.threadId === undefined || place.threadRootId === conversation.threadId || id === messageId(conversation.threadId));
  if (!isIn) throw refusal("not-found", "there is no such message in this conversation, or the app may not read it");
}

function chatPath(id: string): string {
  return `/im/v1/chats/${encodeURIComponent(id)}`;
}

function refusal(code: "not-found" | "rejected", message: string): ChannelError {
  return new ChannelError(code, message, { retry: { type: "never" } });
}
