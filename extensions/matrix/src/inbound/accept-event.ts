import { messageId } from "@factotum/channel-contract";
import type { AccountProgress, CallOptions, MsgContext } from "@factotum/channel-contract";
import type { EventOutcome } from "@factotum/channel-kit";
import type { Bot } from "../api/bot-identity.ts";
import { readEvent } from "../context/known-events.ts";
import { conversationOf, isRoomId } from "../conversation-id.ts";
import { movedTo } from "../rooms/upgraded-room.ts";
import { EventSchema, newContentOf, POLL_RESPONSE, POLL_START, relationOf, StateEventSchema, textIn, threadOf } from "./event-schema.ts";
import type { MatrixEvent } from "./event-schema.ts";
import { eventOf, memberChangeOf } from "./parse-events.ts";
import { parseEdit, parseMessage } from "./parse-message.ts";
import { contextOf } from "./incoming.ts";
import type { AcceptParts, Incoming, ReadEvent } from "./incoming.ts";
import { answersOf, pollOf } from "./poll.ts";
import { readRedaction } from "./read-redaction.ts";
import type { UnknownRedactions } from "./unknown-redactions.ts";

/** One step of a sync. */
export type SyncedEvent =
  | { readonly type: "timeline"; readonly roomId: string; readonly event: unknown }
  | { readonly type: "invitation"; readonly roomId: string; readonly state: readonly unknown[] };

/** Passes one event to the gateway and commits `progress` with it. Rejects if it was not stored. */
export type AcceptEvents = (events: readonly SyncedEvent[], progress: AccountProgress, options: CallOptions) => Promise<EventOutcome>;

/** What the entry point needs. */
interface EntryParts extends AcceptParts {
  readonly redactions: UnknownRedactions;
}

/** Creates the entry point of all events. */
export function createAcceptEvents(parts: EntryParts): AcceptEvents {
  return async (events, progress, options) => {
    const [synced] = events;
    if (synced === undefined || !isRoomId(synced.roomId)) return { type: "ignored", reason: "it is of no room" };
    if (synced.type === "invitation") return acceptInvitation(parts, synced);
    const bot = await parts.bot.getForEvent(options);
    const read = await readTimeline(parts, synced, bot, options);
    if (read.type === "later") return keepRedaction(parts, read.event, synced.roomId, progress);
    if (read.type !== "message") return read;
    const type = await parts.host.receive(read.message, await withReaction(parts, read, synced.roomId, progress));
    if (read.message.event.type === "message") parts.receipts.read(read.message.origin.conversation, read.message.messageId);
    return { type };
  };
}

/** What it removes is requested concurrently: messages must not wait for it. */
async function keepRedaction(
  { redactions }: EntryParts,
  event: MatrixEvent,
  roomId: string,
  progress: AccountProgress,
): Promise<EventOutcome> {
  const isKept = await redactions.keep(roomId, event, progress);
  return isKept ? { type: "accepted" } : { type: "ignored", reason: "too many redactions of unknown events wait" };
}

/** The progress with what has to be known if a reaction is taken back. */
async function withReaction(
  { reactions }: AcceptParts,
  { message, reaction }: ReadEvent & { readonly type: "message" },
  roomId: string,
  progress: AccountProgress,
): Promise<AccountProgress> {
  if (reaction === undefined) return progress;
  return { ...progress, state: [...(progress.state ?? []), await reactions.change(roomId, message.eventId, reaction)] };
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
): Promise<ReadEvent | LaterEvent> {
  const parsed = EventSchema.safeParse(raw);
  if (!parsed.success) return { type: "unreadable", reason: "it is not an event of the platform" };
  const event = parsed.data;
  parts.known.record(roomId, event);
  const isOwnJoin = event.type === "m.room.member" && event.state_key === bot.id && memberChangeOf(event)?.change === "joined";
  if (event.sender === bot.id && !isOwnJoin) return { type: "ignored", reason: "it is the bot's own" };
  if (!(event.type in READERS) && event.type !== "m.room.redaction")
    return { type: "ignored", reason: `nothing is done with ${event.type.slice(0, 80)}` };
  const facts = await parts.book.get(roomId, options);
  if (facts.isEncrypted) {
    await parts.encrypted.answer(roomId, options);
    return { type: "ignored", reason: "its room is encrypted" };
  }
  if (event.type === "m.room.redaction") {
    const read = await readRedaction(parts, { roomId, event, bot, facts });
    return read.type === "unknown" ? { type: "later", event } : read;
  }
  return (await READERS[event.type]?.(parts, { roomId, event, bot, facts }, options)) ?? { type: "ignored", reason: "it shows nothing" };
}

/** A redaction of something unknown. */
interface LaterEvent {
  readonly type: "later";
  readonly event: MatrixEvent;
}

type Reader = (parts: AcceptParts, incoming: Incoming, options: CallOptions) => Promise<ReadEvent | undefined>;

/** The types of events that are read. */
const READERS: Readonly<Record<string, Reader>> = {
  "m.room.message": readMessage,
  "m.sticker": readMessage,
  ...Object.fromEntries(POLL_START.map((type) => [type, readMessage])),
  ...Object.fromEntries(POLL_RESPONSE.map((type) => [type, readVote])),
  "m.reaction": readReaction,
  "m.room.member": readMember,
  "m.room.tombstone": readUpgrade,
  // The room's state says that it is encrypted; an event alone, that its state is not seen yet.
  "m.room.encryption": () => Promise.resolve(undefined),
  "m.room.encrypted": async ({ encrypted }, { roomId }, options) => {
    await encrypted.answer(roomId, options);
    return { type: "ignored", reason: "it is encrypted" };
  },
};

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
  const threadId = target?.threadId;
  const message = eventOf(event, contextOf(parts, incoming, threadId), { happened: { ...happened, ...own }, targetId: eventId });
  const thread = threadId === undefined ? {} : { threadId };
  return { type: "message", message, reaction: { sender: event.sender, targetId: eventId, emoji: key, ...thread, ...own } };
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
