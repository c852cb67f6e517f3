import type { StoredEvent } from "./event.ts";
import type { MatrixRoom } from "./room.ts";

/** An event as clients get it, with what the homeserver adds: what it replaced, its newest edit, its thread. */
export function clientEvent(
  event: StoredEvent,
  { room, userId, now }: { readonly room: MatrixRoom; readonly userId: string; readonly now: number },
): object {
  const { replaced, redactedBy, ...rest } = event;
  const edit = room.editOf(event);
  const thread = room.relatedTo(event.event_id, "m.thread");
  const relations = {
    ...(edit !== undefined && { "m.replace": withoutPrivate(edit) }),
    ...(thread.length > 0 && {
      "m.thread": {
        count: thread.length,
        latest_event: withoutPrivate(thread.at(-1)),
        current_user_participated: thread.some(({ sender }) => sender === userId),
      },
    }),
  };
  return {
    ...rest,
    unsigned: {
      age: Math.max(0, now - event.origin_server_ts),
      ...(replaced !== undefined && { prev_content: replaced.content, prev_sender: replaced.sender }),
      ...(redactedBy !== undefined && { redacted_because: withoutPrivate(room.events.get(redactedBy)) }),
      ...(Object.keys(relations).length > 0 && { "m.relations": relations }),
    },
  };
}

function withoutPrivate(event: StoredEvent | undefined): object {
  if (event === undefined) return {};
  const { replaced: _replaced, redactedBy: _redactedBy, ...rest } = event;
  return rest;
}
