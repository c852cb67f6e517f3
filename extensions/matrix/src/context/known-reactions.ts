import type { AccountChange, ChannelHost } from "@factotum/channel-contract";
import * as z from "zod";

/** What is needed to pass on that a reaction was taken back: the homeserver forgets it with the reaction. */
export interface KnownReaction {
  readonly sender: string;
  readonly targetId: string;
  readonly emoji: string;
  /** Of the message that it is on. */
  readonly threadId?: string | undefined;
  /** Absent if it is unknown whose message it is on. */
  readonly isOnOwnMessage?: boolean | undefined;
}

/** The newest reactions that were passed on, also over restarts. */
export interface KnownReactions {
  /** The change by which a reaction is kept, to be committed with it. In place of the oldest one, if there are too many. */
  change(roomId: string, eventId: string, reaction: KnownReaction): Promise<AccountChange>;
  get(roomId: string, eventId: string): Promise<KnownReaction | undefined>;
}

/** Rows of an account: about half a MiB. */
const MAX_REACTIONS = 1_000;
const PREFIX = "reaction/";

const RowSchema = z.looseObject({
  at: z.string(),
  /** Counts the reactions: that of a row is the newest one in its place. */
  count: z.number().int().nonnegative(),
  sender: z.string(),
  targetId: z.string(),
  emoji: z.string(),
  threadId: z.string().optional(),
  isOnOwnMessage: z.boolean().optional(),
});

interface Rows {
  readonly byPlace: Map<string, KnownReaction>;
  /** What each row has, by its number. */
  readonly places: Map<number, string>;
  next: number;
}

/** Creates the reactions of one account; they are read with the first use. */
export function createKnownReactions({ state }: Pick<ChannelHost, "state">): KnownReactions {
  let loading: Promise<Rows> | undefined;
  const rows = async (): Promise<Rows> => {
    loading ??= load(state).catch((error: unknown) => {
      loading = undefined;
      throw error;
    });
    return loading;
  };
  return {
    async change(roomId, eventId, reaction) {
      const known = await rows();
      const { byPlace, places, next: count } = known;
      const at = placeOf(roomId, eventId);
      const slot = count % MAX_REACTIONS;
      const replaced = places.get(slot);
      if (replaced !== undefined) byPlace.delete(replaced);
      places.set(slot, at);
      byPlace.set(at, reaction);
      known.next = count + 1;
      return { type: "set", key: `${PREFIX}${slot}`, value: { type: "json", json: { at, count, ...reaction } } };
    },
    async get(roomId, eventId) {
      return (await rows()).byPlace.get(placeOf(roomId, eventId));
    },
  };
}

function placeOf(roomId: string, eventId: string): string {
  return `${roomId}/${eventId}`;
}

async function load(state: ChannelHost["state"]): Promise<Rows> {
  const rows: Rows = { byPlace: new Map(), places: new Map(), next: 0 };
  for (const { key, value } of await state.list(PREFIX)) {
    const parsed = value.type === "json" ? RowSchema.safeParse(value.json).data : undefined;
    if (parsed === undefined) continue;
    const { at, count, ...reaction } = parsed;
    rows.byPlace.set(at, reaction);
    rows.places.set(Number(key.slice(PREFIX.length)), at);
    rows.next = Math.max(rows.next, count + 1);
  }
  return rows;
}
