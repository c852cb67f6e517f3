import type { CallOptions } from "@factotum/channel-contract";
import { createBoundedMap } from "@factotum/channel-kit";
import * as z from "zod";
import { pathOf } from "../api/matrix-api.ts";
import type { MatrixApi } from "../api/matrix-api.ts";
import { EventSchema, relationOf } from "../inbound/event-schema.ts";

/** A reaction of the bot. */
export interface OwnReaction {
  readonly roomId: string;
  readonly targetId: string;
  readonly emoji: string;
}

/** The events of the bot's reactions, which are needed to take them back. */
export interface OwnReactions {
  record(reaction: OwnReaction, eventId: string): void;
  forget(reaction: OwnReaction): void;
  /** The event of a reaction; `undefined` if the bot has not reacted so. Rejects with a PlatformFailure. */
  find(reaction: OwnReaction, options: CallOptions): Promise<string | undefined>;
}

const MAX_REACTIONS = 2_000;
const MAX_PAGES = 5;
const PageSchema = z.looseObject({ chunk: z.array(z.unknown()), next_batch: z.string().optional() });

/** Creates an empty record. */
export function createOwnReactions(api: MatrixApi, { userId }: { readonly userId: string }): OwnReactions {
  const known = createBoundedMap<string, string>(MAX_REACTIONS);
  const keyOf = ({ roomId, targetId, emoji }: OwnReaction): string => `${roomId}/${targetId}/${emoji}`;
  return {
    record: (reaction, eventId) => void known.set(keyOf(reaction), eventId),
    forget: (reaction) => void known.delete(keyOf(reaction)),
    async find(reaction, options) {
      const earlier = known.get(keyOf(reaction));
      if (earlier !== undefined) return earlier;
      for await (const event of reactionsTo(api, reaction, options)) {
        if (event.sender === userId && event.emoji === reaction.emoji) return event.id;
      }
      return undefined;
    },
  };
}

/** The reactions to a message, newest first, a bounded number of them. Rejects with a PlatformFailure. */
export async function* reactionsTo(
  api: MatrixApi,
  { roomId, targetId }: Pick<OwnReaction, "roomId" | "targetId">,
  options: CallOptions,
): AsyncGenerator<{ readonly id: string; readonly sender: string; readonly emoji: string }> {
  const path = pathOf("rooms", roomId, "relations", targetId, "m.annotation", "m.reaction");
  let from: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const query = { limit: "100", ...(from !== undefined && { from }) };
    const answer = await api.call("the reactions", { method: "GET", path, query, prefix: "/_matrix/client/v1" }, options);
    const { chunk, next_batch: next } = PageSchema.parse(answer);
    for (const value of chunk) {
      const event = EventSchema.safeParse(value).data;
      const { key } = relationOf(event?.content ?? {});
      if (event !== undefined && key !== undefined) yield { id: event.event_id, sender: event.sender, emoji: key };
    }
    if (next === undefined) return;
    from = next;
  }
}
