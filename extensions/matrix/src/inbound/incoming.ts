import type { ChannelHost, MsgContext } from "@factotum/channel-contract";
import type { Bot, MatrixBot } from "../api/bot-identity.ts";
import type { MatrixApi } from "../api/matrix-api.ts";
import type { KnownEvents } from "../context/known-events.ts";
import type { KnownReaction, KnownReactions } from "../context/known-reactions.ts";
import { conversationOf } from "../conversation-id.ts";
import type { ReadReceipts } from "../outbound/read-receipts.ts";
import type { EncryptedRooms } from "../rooms/encrypted-rooms.ts";
import type { Invitations } from "../rooms/invitations.ts";
import type { RoomBook, RoomFacts } from "../rooms/room-book.ts";
import type { MatrixEvent } from "./event-schema.ts";
import type { ParseContext } from "./parse-message.ts";

/** What the reading of events needs. */
export interface AcceptParts {
  readonly host: ChannelHost;
  readonly api: MatrixApi;
  readonly bot: MatrixBot;
  readonly book: RoomBook;
  readonly known: KnownEvents;
  readonly reactions: KnownReactions;
  readonly encrypted: EncryptedRooms;
  readonly invitations: Invitations;
  readonly receipts: ReadReceipts;
}

/** What an event says. */
export type ReadEvent =
  /** `reaction` is kept with the message. */
  | { readonly type: "message"; readonly message: MsgContext; readonly reaction?: KnownReaction }
  | { readonly type: "ignored" | "unreadable"; readonly reason: string };

/** An event of a room, and who reads it. */
export interface Incoming {
  readonly roomId: string;
  readonly event: MatrixEvent;
  readonly bot: Bot;
  readonly facts: RoomFacts;
}

/** The place of an event, and who is in it. */
export function contextOf(
  { host, book }: Pick<AcceptParts, "host" | "book">,
  { roomId, bot, facts }: Incoming,
  threadId: string | undefined,
): ParseContext {
  return {
    accountId: host.accountId,
    bot,
    conversation: conversationOf(roomId, { isDirect: facts.isDirect, threadId }),
    subject: facts.name,
    nameOf: (userId) => book.nameOf(roomId, userId),
  };
}
