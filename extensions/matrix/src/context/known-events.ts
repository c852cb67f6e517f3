import type { CallOptions } from "@factotum/channel-contract";
import { createBoundedMap } from "@factotum/channel-kit";
import { pathOf } from "../api/matrix-api.ts";
import type { MatrixApi } from "../api/matrix-api.ts";
import { isEventId } from "../conversation-id.ts";
import { isFinal } from "../errors.ts";
import { EventSchema, relationOf, threadOf } from "../inbound/event-schema.ts";
import type { MatrixEvent } from "../inbound/event-schema.ts";

/** What later events need to know of an earlier one. */
export interface KnownEvent {
  readonly type: string;
  readonly sender: string;
  readonly threadId?: string | undefined;
  /** Of a reaction. */
  readonly reaction?: { readonly targetId: string; readonly emoji: string } | undefined;
}

/** Events that were seen or sent, and others as the homeserver has them. */
export interface KnownEvents {
  record(roomId: string, event: Pick<MatrixEvent, "event_id" | "type" | "sender" | "content">): void;
  /** The event, if it is in memory: the homeserver is not asked. */
  peek(roomId: string, eventId: string): KnownEvent | undefined;
  /** The event; `undefined` if the room has none with this id, or the bot may not see it. Rejects with a PlatformFailure if the homeserver does not answer. */
  get(roomId: string, eventId: string, options: CallOptions): Promise<KnownEvent | undefined>;
}

/** Events in memory, over all rooms. */
const MAX_EVENTS = 5_000;

/** Creates an empty record. */
export function createKnownEvents(api: MatrixApi): KnownEvents {
  const known = createBoundedMap<string, KnownEvent>(MAX_EVENTS);
  const keyOf = (roomId: string, eventId: string): string => `${roomId}/${eventId}`;
  return {
    record(roomId, event) {
      known.set(keyOf(roomId, event.event_id), toKnown(event));
    },
    peek: (roomId, eventId) => known.get(keyOf(roomId, eventId)),
    async get(roomId, eventId, options) {
      const earlier = known.get(keyOf(roomId, eventId));
      if (earlier !== undefined) return earlier;
      const event = await readEvent(api, roomId, eventId, options);
      if (event === undefined) return undefined;
      const found = toKnown(event);
      known.set(keyOf(roomId, eventId), found);
      return found;
    },
  };
}

/** One event of a room with its content; `undefined` if there is none, or the bot may not see it. Rejects with a PlatformFailure. */
export async function readEvent(api: MatrixApi, roomId: string, eventId: string, options: CallOptions): Promise<MatrixEvent | undefined> {
  if (!isEventId(eventId)) return undefined;
  const path = pathOf("rooms", roomId, "event", eventId);
  const answer = await api.call("the event", { method: "GET", path }, options).catch((error: unknown) => {
    if (isFinal(error)) return undefined;
    throw error;
  });
  return EventSchema.safeParse(answer).data;
}

function toKnown({ type, sender, content }: Pick<MatrixEvent, "type" | "sender" | "content">): KnownEvent {
  const threadId = threadOf(content);
  const { eventId: targetId, key: emoji } = relationOf(content);
  const isReaction = type === "m.reaction" && targetId !== undefined && emoji !== undefined;
  return { type, sender, ...(threadId !== undefined && { threadId }), ...(isReaction && { reaction: { targetId, emoji } }) };
}
