import { ACTIONS, ChannelError } from "@factotum/channel-contract";
import type {
  ActionName,
  ActionResult,
  ActionTypes,
  CallOptions,
  ChannelAction,
  Conversation,
  HistoryMessage,
} from "@factotum/channel-contract";
import * as z from "zod";
import type { MatrixBot } from "../api/bot-identity.ts";
import { pathOf } from "../api/matrix-api.ts";
import type { MatrixApi } from "../api/matrix-api.ts";
import { readMessages, toActionMessages, toHistory } from "../context/history.ts";
import type { HistoryParts } from "../context/history.ts";
import { readEvent } from "../context/known-events.ts";
import { notFound, toChannelError } from "../errors.ts";
import { EventSchema, relationOf, textIn } from "../inbound/event-schema.ts";
import type { MatrixEvent } from "../inbound/event-schema.ts";
import { reactionsTo } from "../outbound/own-reactions.ts";
import { readState } from "../rooms/room-book.ts";
import type { RoomBook } from "../rooms/room-book.ts";
import { grantedTo, powerOf, readPowerLevels } from "./permissions.ts";

/** What actions may use. */
export interface ActionParts {
  readonly api: MatrixApi;
  readonly bot: MatrixBot;
  readonly book: RoomBook;
}

/** One action, in a conversation of the platform. */
type Action<Name extends ActionName> = (
  parts: HistoryParts,
  call: { readonly conversation: Conversation; readonly parameters: ActionTypes[Name]["parameters"] },
  options: CallOptions,
) => Promise<ActionTypes[Name]["result"]>;

const MAX_PINS = 100;
const PinnedSchema = z.looseObject({ pinned: z.array(z.string()).catch([]) });
const SearchSchema = z.looseObject({
  search_categories: z.looseObject({ room_events: z.looseObject({ results: z.array(z.looseObject({ result: z.unknown() })).catch([]) }) }),
});
const ThreadsSchema = z.looseObject({ chunk: z.array(z.unknown()).catch([]) });

/** The actions by name. */
const RUN: { readonly [Name in ActionName]?: Action<Name> } = {
  pin: async (parts, { conversation, parameters }, options) => {
    await requireEvent(parts, conversation.id, parameters.messageId, options);
    const pinned = await readPins(parts, conversation.id, options);
    if (!pinned.includes(parameters.messageId)) await writePins(parts, conversation.id, [...pinned, parameters.messageId], options);
    return {};
  },
  unpin: async (parts, { conversation, parameters }, options) => {
    const pinned = await readPins(parts, conversation.id, options);
    const rest = pinned.filter((id) => id !== parameters.messageId);
    if (rest.length < pinned.length) await writePins(parts, conversation.id, rest, options);
    return {};
  },
  "pins-list": async (parts, { conversation, parameters }, options) => {
    const pinned = (await readPins(parts, conversation.id, options)).slice(-Math.min(parameters.limit, MAX_PINS));
    const messages: HistoryMessage[] = [];
    for (const id of pinned) {
      const event = await readEvent(parts.api, conversation.id, id, options);
      const message = event === undefined ? undefined : await toHistory(parts, conversation.id, event, options);
      if (message !== undefined) messages.push(message);
    }
    return { messages: toActionMessages(messages) };
  },
  read: async (parts, { conversation, parameters: { limit, before } }, options) => ({
    messages: toActionMessages(await readMessages(parts, { conversation, limit, before }, options)),
  }),
  search: async (parts, { conversation, parameters: { query, limit } }, options) => {
    const filter = { rooms: [conversation.id], types: ["m.room.message"], limit };
    const body = { search_categories: { room_events: { search_term: query, keys: ["content.body"], order_by: "recent", filter } } };
    const answer = SearchSchema.parse(await parts.api.call("the search", { method: "POST", path: "/search", body }, options));
    const messages: HistoryMessage[] = [];
    for (const { result } of answer.search_categories.room_events.results) {
      const event = EventSchema.safeParse(result).data;
      const message = event === undefined ? undefined : await toHistory(parts, conversation.id, event, options);
      if (message !== undefined) messages.push(message);
    }
    return { messages: toActionMessages(messages.toReversed()) };
  },
  "reactions-list": async ({ api }, { conversation, parameters }, options) => {
    const counts = new Map<string, number>();
    const target = { roomId: conversation.id, targetId: parameters.messageId };
    for await (const { emoji } of reactionsTo(api, target, options)) counts.set(emoji, (counts.get(emoji) ?? 0) + 1);
    return { reactions: Array.from(counts, ([emoji, count]) => ({ emoji, count })) };
  },
  "thread-create": async (parts, { conversation, parameters: { messageId } }, options) => {
    // A thread has no name, and is there with the first message in it.
    if (messageId === undefined)
      throw new ChannelError("rejected", "a thread begins with a message: name one", { retry: { type: "never" } });
    const event = await requireEvent(parts, conversation.id, messageId, options);
    if (relationOf(event.content).type !== undefined)
      throw new ChannelError("rejected", "no thread can begin in a thread, or at an edit", { retry: { type: "never" } });
    return { threadId: messageId };
  },
  "thread-list": async (parts, { conversation, parameters: { limit } }, options) => {
    const request = {
      method: "GET",
      path: pathOf("rooms", conversation.id, "threads"),
      query: { limit: String(limit) },
      prefix: "/_matrix/client/v1",
    } as const;
    const { chunk } = ThreadsSchema.parse(await parts.api.call("the threads", request, options));
    const threads = chunk.flatMap((value) => {
      const event = EventSchema.safeParse(value).data;
      const name = event === undefined ? "" : textIn(event.content, "body").split("\n", 1)[0]?.slice(0, 80).toWellFormed();
      return event === undefined ? [] : [{ threadId: event.event_id, ...(name !== "" && { name }) }];
    });
    return { threads: threads.slice(0, limit) };
  },
  "member-info": async ({ api }, { conversation, parameters: { userId } }, options) => {
    const member = await readState(api, conversation.id, ["m.room.member", userId], options);
    if (member?.["membership"] !== "join") throw notFound("this person is not in the room");
    const power = powerOf(await readPowerLevels(api, conversation.id, options), userId);
    const roles = power >= 100 ? ["admin"] : power >= 50 ? ["moderator"] : [];
    const name = textIn(member, "displayname");
    return { id: userId, ...(name !== "" && { name }), ...(roles.length > 0 && { roles }) };
  },
  "channel-info": async ({ book }, { conversation }, options) => {
    const { name, topic } = await book.get(conversation.id, options);
    return { id: conversation.id, ...(name !== undefined && { name }), ...(topic !== undefined && { topic }) };
  },
  permissions: async ({ api, bot }, { conversation }, options) => ({
    granted: grantedTo(await readPowerLevels(api, conversation.id, options), bot.id),
  }),
};

/** Runs an action; rejects with a ChannelError. */
export async function runAction(
  { bot, ...parts }: ActionParts,
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
    const call = { conversation: target.conversation, parameters: parsed.data as never };
    return { value: await run({ ...parts, bot: await bot.get(options) }, call, options) };
  } catch (error) {
    throw toChannelError(error);
  }
}

async function requireEvent({ api }: HistoryParts, roomId: string, eventId: string, options: CallOptions): Promise<MatrixEvent> {
  const event = await readEvent(api, roomId, eventId, options);
  if (event === undefined) throw notFound("there is no such message");
  return event;
}

async function readPins({ api }: HistoryParts, roomId: string, options: CallOptions): Promise<readonly string[]> {
  return PinnedSchema.parse((await readState(api, roomId, ["m.room.pinned_events"], options)) ?? {}).pinned;
}

async function writePins({ api }: HistoryParts, roomId: string, pinned: readonly string[], options: CallOptions): Promise<void> {
  const path = `${pathOf("rooms", roomId, "state", "m.room.pinned_events")}/`;
  await api.call("the pinned messages", { method: "PUT", path, body: { pinned } }, options);
}
