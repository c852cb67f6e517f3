import { messageId } from "@factotum/channel-contract";
import type { AccountProgress, CallOptions, ChannelHost, MsgContext } from "@factotum/channel-contract";
import type { EventOutcome } from "@factotum/channel-kit";
import type { Bot, MatrixBot } from "../api/bot-identity.ts";
import type { MatrixApi } from "../api/matrix-api.ts";
import { readEvent } from "../context/known-events.ts";
import type { KnownEvents } from "../context/known-events.ts";
import { conversationOf, isRoomId } from "../conversation-id.ts";
import type { ReadReceipts } from "../outbound/read-receipts.ts";
import type { EncryptedRooms } from "../rooms/encrypted-rooms.ts";
import type { Invitations } from "../rooms/invitations.ts";
import type { RoomBook, RoomFacts } from "../rooms/room-book.ts";
import { movedTo } from "../rooms/upgraded-room.ts";
import { EventSchema, newContentOf, POLL_RESPONSE, POLL_START, relationOf, StateEventSchema, textIn, threadOf } from "./event-schema.ts";
import type { MatrixEvent } from "./event-schema.ts";
import { eventOf, memberChangeOf } from "./parse-events.ts";
import { parseEdit, parseMessage } from "./parse-message.ts";
import type { ParseContext } from "./parse-message.ts";
import { answersOf, pollOf } from "./poll.ts";

/** One step of a sync. */
export type SyncedEvent =
  | { readonly type: "timeline"; readonly roomId: string; readonly event: unknown }
  | { readonly type: "invitation"; readonly roomId: string; readonly state: readonly unknown[] };

/** Passes one event to the gateway and commits `progress` with it. Rejects if it was not stored. */
export type AcceptEvents = (events: readonly SyncedEvent[], progress: AccountProgress, options: CallOptions) => Promise<EventOutcome>;

/** What the reading of events needs. */
export interface AcceptParts {
  readonly host: ChannelHost;
  readonly api: MatrixApi;
  readonly bot: MatrixBot;
  readonly book: RoomBook;
  readonly known: KnownEvents;
  readonly encrypted: EncryptedRooms;
  readonly invitations: Invitations;
  readonly receipts: ReadReceipts;
}

/** What an event says. */
type ReadEvent =
  | { readonly type: "message"; readonly message: MsgContext }
  | { readonly type: "ignored" | "unreadable"; readonly reason: string };

/** An event of a room, and who reads it. */
interface Incoming {
  readonly roomId: string;
  readonly event: MatrixEvent;
  readonly bot: Bot;
  readonly facts: RoomFacts;
}

/** Events whose text or members would be read, so that the room has to be known. */
const SHOWN = ["m.room.message", "m.sticker", ...POLL_START];

/** Creates the entry point of all events. */
export function createAcceptEvents(parts: AcceptParts): AcceptEvents {
  return async (events, progress, options) => {
    const [synced] = events;
    if (synced === undefined || !isRoomId(synced.roomId)) return { type: "ignored", reason: "it is of no room" };
    if (synced.type === "invitation") return acceptInvitation(parts, synced);
    const bot = await parts.bot.getForEvent(options);
    const read = await readTimeline(parts, synced, bot, options);
    if (read.type !== "message") return read;
    const type = await parts.host.receive(read.message, progress);
    if (read.message.event.type === "message") parts.receipts.read(read.message.origin.conversation, read.message.messageId);
    return { type };
  };
}

async function acceptInvitation(
  { invitations }: AcceptParts,
  { roomId, state }: SyncedEvent & { readonly type: "invitation" },
): Promise<EventOutcome> {
  await invitations.keep(
    roomId,
    state.flatMap((event) => StateEventSchema.safeParse(event).data ?? []),
  );
  return { type: "ignored", reason: "it is an invitation" };
}

async function readTimeline(
  parts: AcceptParts,
  { roomId, event: raw }: SyncedEvent & { readonly type: "timeline" },
  bot: Bot,
  options: CallOptions,
): Promise<ReadEvent> {
  const parsed = EventSchema.safeParse(raw);
  if (!parsed.success) return { type: "unreadable", reason: "it is not an event of the platform" };
  const event = parsed.data;
  parts.known.record(roomId, event);
  const isOwnJoin = event.type === "m.room.member" && event.state_key === bot.id && memberChangeOf(event)?.change === "joined";
  if (event.sender === bot.id && !isOwnJoin) return { type: "ignored", reason: "it is the bot's own" };
  if (!(event.type in READERS)) return { type: "ignored", reason: `nothing is done with ${event.type.slice(0, 80)}` };
  const facts = await parts.book.get(roomId, options);
  if (facts.isEncrypted) {
    await parts.encrypted.answer(roomId, options);
    return { type: "ignored", reason: "its room is encrypted" };
  }
  return (await READERS[event.type]?.(parts, { roomId, event, bot, facts }, options)) ?? { type: "ignored", reason: "it shows nothing" };
}

type Reader = (parts: AcceptParts, incoming: Incoming, options: CallOptions) => Promise<ReadEvent | undefined>;

/** The types of events that are read. */
const READERS: Readonly<Record<string, Reader>> = {
  "m.room.message": readMessage,
  "m.sticker": readMessage,
  ...Object.fromEntries(POLL_START.map((type) => [type, readMessage])),
  ...Object.fromEntries(POLL_RESPONSE.map((type) => [type, readVote])),
  "m.reaction": readReaction,
  "m.room.redaction": readRedaction,
  "m.room.member": readMember,
  "m.room.tombstone": readUpgrade,
  // The room's state says that it is encrypted; an event alone, that its state is not seen yet.
  "m.room.encryption": () => Promise.resolve(undefined),
  "m.room.encrypted": async ({ encrypted }, { roomId }, options) => {
    await encrypted.answer(roomId, options);
    return { type: "ignored", reason: "it is encrypted" };
  },
};

function contextOf({ host, book }: AcceptParts, { roomId, bot, facts }: Incoming, threadId: string | undefined): ParseContext {
  return {
    accountId: host.accountId,
    bot,
    conversation: conversationOf(roomId, { isDirect: facts.isDirect, threadId }),
    subject: facts.name,
    nameOf: (userId) => book.nameOf(roomId, userId),
  };
}

function messageOrNothing(message: MsgContext | undefined): ReadEvent | undefined {
  return message === undefined ? undefined : { type: "message", message };
}

async function readMessage(parts: AcceptParts, incoming: Incoming, options: CallOptions): Promise<ReadEvent | undefined> {
  const { event, roomId, bot } = incoming;
  if (newContentOf(event.content) !== undefined) return readEdit(parts, incoming, options);
  const parsed = parseMessage(event, contextOf(parts, incoming, threadOf(event.content)));
  const answered = parsed?.replyTo?.messageId;
  if (parsed?.replyTo === undefined || answered === undefined) return messageOrNothing(parsed);
  // An answer to the bot is for the bot.
  const target = await parts.known.get(roomId, answered, options);
  if (target === undefined) return messageOrNothing(parsed);
  const name = parts.book.nameOf(roomId, target.sender);
  const sender = { id: target.sender, ...(name !== undefined && { name }), ...(target.sender === bot.id && { isSelf: true }) };
  return messageOrNothing({ ...parsed, replyTo: { ...parsed.replyTo, sender } });
}

/** Only the author of a message can edit it; servers pass on what others claim. */
async function readEdit(parts: AcceptParts, incoming: Incoming, options: CallOptions): Promise<ReadEvent | undefined> {
  const { event, roomId } = incoming;
  const { eventId = "" } = relationOf(event.content);
  const target = await parts.known.get(roomId, eventId, options);
  if (target?.sender !== event.sender) return { type: "ignored", reason: "it edits a message of somebody else" };
  return messageOrNothing(parseEdit(event, contextOf(parts, incoming, target.threadId)));
}

async function readReaction(parts: AcceptParts, incoming: Incoming, options: CallOptions): Promise<ReadEvent | undefined> {
  const { event, roomId, bot } = incoming;
  const { type, eventId, key } = relationOf(event.content);
  if (type !== "m.annotation" || eventId === undefined || key === undefined || key === "") return undefined;
  const target = await parts.known.get(roomId, eventId, options);
  const happened = { type: "reaction", targetId: messageId(eventId), emoji: key, removed: false } as const;
  const own = target === undefined ? {} : { isOnOwnMessage: target.sender === bot.id };
  const context = contextOf(parts, incoming, target?.threadId);
  return messageOrNothing(eventOf(event, context, { happened: { ...happened, ...own }, targetId: eventId }));
}

/** A redaction removes a message, or takes a reaction back. */
async function readRedaction(parts: AcceptParts, incoming: Incoming, options: CallOptions): Promise<ReadEvent | undefined> {
  const { event, roomId, bot } = incoming;
  const redacted = event.redacts ?? textIn(event.content, "redacts");
  const target = await parts.known.get(roomId, redacted, options);
  if (target === undefined) return { type: "ignored", reason: "it removes something unknown" };
  const { reaction } = target;
  if (reaction !== undefined) {
    if (target.sender === bot.id) return { type: "ignored", reason: "it removes a reaction of the bot" };
    const on = await parts.known.get(roomId, reaction.targetId, options);
    const targetId = messageId(reaction.targetId);
    const own = on === undefined ? {} : { isOnOwnMessage: on.sender === bot.id };
    const happened = { type: "reaction", targetId, emoji: reaction.emoji, removed: true, ...own } as const;
    return messageOrNothing(eventOf(event, contextOf(parts, incoming, on?.threadId), { happened, targetId, by: target.sender }));
  }
  if (!SHOWN.includes(target.type)) return { type: "ignored", reason: "it removes no message" };
  const happened = { type: "delete", targetId: messageId(redacted) } as const;
  return messageOrNothing(eventOf(event, contextOf(parts, incoming, target.threadId), { happened, targetId: redacted }));
}

async function readMember(parts: AcceptParts, incoming: Incoming): Promise<ReadEvent | undefined> {
  const { event, bot, facts } = incoming;
  const change = memberChangeOf(event);
  const isSelf = change?.userId === bot.id;
  // That the bot itself is in a direct chat says no more than the messages do.
  if (change === undefined || (facts.isDirect && isSelf)) return undefined;
  const name = isSelf ? bot.name : change.name;
  const happened = {
    type: "member",
    change: change.change,
    member: { id: change.userId, ...(name !== undefined && { name }), isSelf },
  } as const;
  return messageOrNothing(eventOf(event, contextOf(parts, incoming, undefined), { happened, targetId: event.event_id, by: change.by }));
}

async function readVote(parts: AcceptParts, incoming: Incoming, options: CallOptions): Promise<ReadEvent | undefined> {
  const { event, roomId, bot } = incoming;
  const { eventId } = relationOf(event.content);
  const known = eventId === undefined ? undefined : await parts.known.get(roomId, eventId, options);
  if (eventId === undefined || known?.sender !== bot.id) return { type: "ignored", reason: "it is a vote in a poll of somebody else" };
  const poll = pollOf((await readEvent(parts.api, roomId, eventId, options))?.content ?? {});
  if (poll === undefined) return { type: "ignored", reason: "it is a vote in an unknown poll" };
  const chosen = answersOf(event.content);
  const answers = poll.answers.filter(({ id }) => chosen.includes(id)).map(({ text }) => text);
  const happened = { type: "vote", targetId: messageId(eventId), options: answers } as const;
  return messageOrNothing(eventOf(event, contextOf(parts, incoming, known.threadId), { happened, targetId: eventId }));
}

async function readUpgrade(parts: AcceptParts, incoming: Incoming, options: CallOptions): Promise<ReadEvent | undefined> {
  const { event, roomId, facts } = incoming;
  const to = await movedTo(parts.api, { roomId, replacement: textIn(event.content, "replacement_room"), by: event.sender }, options);
  if (to === undefined) return { type: "ignored", reason: "the room that replaces this one cannot be joined" };
  const happened = { type: "moved", to: conversationOf(to, facts) } as const;
  return messageOrNothing(eventOf(event, contextOf(parts, incoming, undefined), { happened, targetId: event.event_id }));
}
