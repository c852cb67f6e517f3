import { messageId } from "@factotum/channel-contract";
import type { CallOptions, MsgContext } from "@factotum/channel-contract";
import type { KnownEvent } from "../context/known-events.ts";
import type { KnownReaction } from "../context/known-reactions.ts";
import { contextOf } from "./incoming.ts";
import type { AcceptParts, Incoming, ReadEvent } from "./incoming.ts";
import { POLL_START, textIn } from "./event-schema.ts";
import type { MatrixEvent } from "./event-schema.ts";
import { eventOf } from "./parse-events.ts";

/** Events whose removal is passed on. */
const SHOWN: readonly string[] = ["m.room.message", "m.sticker", ...POLL_START];

/** A redaction removes a message, or takes a reaction back. `unknown`: what it removes has to be asked of the homeserver. */
export async function readRedaction(parts: AcceptParts, incoming: Incoming): Promise<ReadEvent | { readonly type: "unknown" }> {
  const { event, roomId, bot } = incoming;
  const redacted = redactedBy(event);
  const target = parts.known.peek(roomId, redacted);
  const reaction = (await parts.reactions.get(roomId, redacted)) ?? reactionOf(parts, roomId, target, bot.id);
  if (reaction !== undefined) {
    if (reaction.sender === bot.id) return { type: "ignored", reason: "it removes a reaction of the bot" };
    return { type: "message", message: takenBack(parts, incoming, reaction) };
  }
  if (target === undefined) return { type: "unknown" };
  const message = removed(parts, incoming, target);
  return message === undefined ? { type: "ignored", reason: "it removes no message" } : { type: "message", message };
}

/** The same for what the homeserver has to be asked for; `undefined` if it shows nothing. Rejects if there is no answer. */
export async function readUnknownRedaction(
  parts: AcceptParts,
  { roomId, event }: Pick<Incoming, "roomId" | "event">,
  options: CallOptions,
): Promise<MsgContext | undefined> {
  const target = await parts.known.get(roomId, redactedBy(event), options);
  if (target === undefined) return undefined;
  const bot = await parts.bot.getForEvent(options);
  const facts = await parts.book.get(roomId, options);
  return removed(parts, { roomId, event, bot, facts }, target);
}

function redactedBy({ redacts, content }: MatrixEvent): string {
  return redacts ?? textIn(content, "redacts");
}

/** A reaction that this process has seen. */
function reactionOf({ known }: AcceptParts, roomId: string, target: KnownEvent | undefined, selfId: string): KnownReaction | undefined {
  if (target?.reaction === undefined) return undefined;
  const on = known.peek(roomId, target.reaction.targetId);
  return {
    ...target.reaction,
    sender: target.sender,
    threadId: on?.threadId,
    ...(on !== undefined && { isOnOwnMessage: on.sender === selfId }),
  };
}

function takenBack(
  parts: AcceptParts,
  incoming: Incoming,
  { sender, emoji, targetId: on, threadId, isOnOwnMessage }: KnownReaction,
): MsgContext {
  const targetId = messageId(on);
  const own = isOnOwnMessage === undefined ? {} : { isOnOwnMessage };
  const happened = { type: "reaction", targetId, emoji, removed: true, ...own } as const;
  return eventOf(incoming.event, contextOf(parts, incoming, threadId), { happened, targetId, by: sender });
}

function removed(parts: AcceptParts, incoming: Incoming, target: KnownEvent): MsgContext | undefined {
  if (!SHOWN.includes(target.type)) return undefined;
  const targetId = messageId(redactedBy(incoming.event));
  return eventOf(incoming.event, contextOf(parts, incoming, target.threadId), { happened: { type: "delete", targetId }, targetId });
}
