import type { Conversation } from "@factotum/channel-contract";

const MAX_ID_LENGTH = 255;

/** True for the id of a room; newer rooms have no server in it. */
export function isRoomId(id: string): boolean {
  return id.length <= MAX_ID_LENGTH && /^![^\s/?#]+$/.test(id);
}

/** True for the id of an event. */
export function isEventId(id: string): boolean {
  return id.length <= MAX_ID_LENGTH && /^\$[^\s/?#]+$/.test(id);
}

/** The conversation of a room, and of a thread in it, which is known by the event that it began with. */
export function conversationOf(
  roomId: string,
  { isDirect, threadId }: { readonly isDirect: boolean; readonly threadId?: string | undefined },
): Conversation {
  return { kind: isDirect ? "direct" : "group", id: roomId, ...(threadId !== undefined && { threadId }) };
}
