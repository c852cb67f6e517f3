import { messageId } from "@factotum/channel-contract";
import type { ActionMessage, CallOptions, Conversation, HistoryMessage } from "@factotum/channel-contract";
import * as z from "zod";
import type { Bot } from "../api/bot-identity.ts";
import { pathOf } from "../api/matrix-api.ts";
import type { MatrixApi } from "../api/matrix-api.ts";
import { isEventId } from "../conversation-id.ts";
import { notFound } from "../errors.ts";
import { EventSchema, newContentOf, POLL_START, threadOf } from "../inbound/event-schema.ts";
import type { MatrixEvent } from "../inbound/event-schema.ts";
import { parseContent } from "../inbound/parse-message.ts";
import type { RoomBook } from "../rooms/room-book.ts";

/** What the reading of messages needs. */
export interface HistoryParts {
  readonly api: MatrixApi;
  readonly book: RoomBook;
  readonly bot: Bot;
}

/** Types of events that people see as messages. */
const SHOWN: readonly string[] = ["m.room.message", "m.sticker", ...POLL_START];
const FILTER = JSON.stringify({ types: SHOWN, lazy_load_members: true });
const PAGE = 100;
/** Edits and messages of threads fill pages, too. */
const MAX_PAGES = 3;

const PageSchema = z.looseObject({
  chunk: z.array(z.unknown()).catch([]),
  state: z.array(z.unknown()).catch([]),
  end: z.string().optional().catch(undefined),
  next_batch: z.string().optional().catch(undefined),
});
const ContextSchema = z.looseObject({ start: z.string().optional() });

/** The newest messages of a conversation that people and bots wrote, oldest first. Rejects with a PlatformFailure. */
export async function readMessages(
  parts: HistoryParts,
  { conversation, limit, before }: { readonly conversation: Conversation; readonly limit: number; readonly before?: string | undefined },
  options: CallOptions,
): Promise<readonly HistoryMessage[]> {
  const { id, threadId } = conversation;
  const found: HistoryMessage[] = [];
  const pages = threadId === undefined ? roomPages(parts, id, before, options) : threadPages(parts, id, threadId, options);
  // A thread is read from its end, and begins with what follows the message.
  let isBehind = threadId !== undefined && before !== undefined && isEventId(before);
  for await (const value of pages) {
    const event = EventSchema.safeParse(value).data;
    if (event === undefined) continue;
    const isTarget = event.event_id === before;
    const isHere = threadId === undefined ? threadOf(event.content) === undefined : true;
    const message = isBehind || isTarget || !isHere ? undefined : await toHistory(parts, id, event, options);
    if (isTarget) isBehind = false;
    if (message !== undefined) found.push(message);
    if (found.length === limit) break;
  }
  return found.toReversed();
}

/** Events of a room, newest first. */
async function* roomPages({ api, book }: HistoryParts, roomId: string, before: string | undefined, options: CallOptions): AsyncGenerator {
  let from: string | undefined;
  if (before !== undefined) {
    if (!isEventId(before)) throw notFound("there is no such message");
    const path = pathOf("rooms", roomId, "context", before);
    from = ContextSchema.parse(await api.call("the message", { method: "GET", path, query: { limit: "0" } }, options)).start;
  }
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { dir: "b", limit: String(PAGE), filter: FILTER, ...(from !== undefined && { from }) };
    const answer = await api.call("the messages", { method: "GET", path: pathOf("rooms", roomId, "messages"), query }, options);
    const { chunk, state, end } = PageSchema.parse(answer);
    for (const value of state) {
      const member = EventSchema.safeParse(value).data;
      if (member?.type === "m.room.member") book.recordName(roomId, member);
    }
    yield* chunk;
    if (end === undefined || end === from || chunk.length === 0) return;
    from = end;
  }
}

/** Events of a thread, newest first, and the one that it began with. */
async function* threadPages({ api }: HistoryParts, roomId: string, threadId: string, options: CallOptions): AsyncGenerator {
  let from: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { limit: String(PAGE), ...(from !== undefined && { from }) };
    const path = pathOf("rooms", roomId, "relations", threadId, "m.thread");
    const answer = await api.call("the thread", { method: "GET", path, query, prefix: "/_matrix/client/v1" }, options);
    const { chunk, next_batch: next } = PageSchema.parse(answer);
    yield* chunk;
    if (next === undefined || next === from) break;
    from = next;
  }
  yield await api.call("the message", { method: "GET", path: pathOf("rooms", roomId, "event", threadId) }, options);
}

/** One event as history; `undefined` if people see no message in it, or it is an edit of one. */
export async function toHistory(
  { book, bot }: HistoryParts,
  roomId: string,
  event: MatrixEvent,
  options: CallOptions,
): Promise<HistoryMessage | undefined> {
  if (!SHOWN.includes(event.type) || newContentOf(event.content) !== undefined) return undefined;
  const name = await book.fetchName(roomId, event.sender, options).catch(() => undefined);
  const content = currentContent(event);
  const parsed = parseContent({ ...event, content }, { bot, nameOf: (userId) => book.nameOf(roomId, userId) });
  const notice = typeof content["body"] === "string" ? content["body"] : "";
  const files = parsed?.attachments.map(({ kind, fileName }) => `[${fileName === undefined ? kind : `${kind}: ${fileName}`}]`) ?? [];
  const body = [parsed?.text ?? notice, ...files].filter((part) => part !== "").join("\n");
  if (body === "") return undefined;
  return {
    messageId: messageId(event.event_id),
    sender: name ?? event.sender,
    senderId: event.sender,
    ...(parsed === undefined && { isBot: true }),
    ...(event.sender === bot.id && { isSelf: true }),
    timestampMs: event.origin_server_ts,
    body,
  };
}

/** The content after the last edit, which the homeserver adds to the event. */
function currentContent({ content, unsigned = {}, sender }: MatrixEvent): MatrixEvent["content"] {
  const relations = unsigned["m.relations"];
  const edit = typeof relations === "object" && relations !== null && "m.replace" in relations ? relations["m.replace"] : undefined;
  const parsed = EventSchema.safeParse(edit).data;
  return parsed?.sender === sender ? (newContentOf(parsed.content) ?? content) : content;
}

/** Messages as actions report them. */
export function toActionMessages(messages: readonly HistoryMessage[]): ActionMessage[] {
  return messages.map(({ messageId: id, sender, timestampMs, body }) => ({
    messageId: id ?? messageId(""),
    sender,
    timestampMs,
    text: body,
  }));
}
