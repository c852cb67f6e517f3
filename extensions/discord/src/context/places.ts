import type { CallOptions, ChannelHost, Conversation } from "@factotum/channel-contract";
import { createBoundedMap, reasonOf } from "@factotum/channel-kit";
import * as z from "zod";
import type { DiscordApi } from "../api/discord-api.ts";
import { isFinal } from "../errors.ts";

/** A channel, thread or direct chat, as the platform describes it. */
export interface Place {
  readonly id: string;
  readonly type: number;
  readonly name: string;
  readonly topic: string;
  readonly guildId: string | undefined;
  /** Of a thread: the channel that has it. Of a channel: its category. */
  readonly parentId: string | undefined;
}

/** The places of an account, by id. */
export interface Places {
  /** `undefined` for a place that the bot may not see. Rejects if the platform does not answer. */
  get(id: string, options: CallOptions): Promise<Place | undefined>;
  /** The address of what is shown in a place. Rejects if the platform does not say which channel a thread belongs to. */
  conversationOf(place: { readonly id: string; readonly guildId: string | undefined }, options: CallOptions): Promise<Conversation>;
  /** The place has changed. */
  forget(id: string): void;
  /** For people: what the bot may not see. */
  readonly problem: string | undefined;
}

const PlaceSchema = z.looseObject({
  id: z.string().min(1),
  type: z.number().int(),
  name: z.string().nullish(),
  topic: z.string().nullish(),
  guild_id: z.string().optional(),
  parent_id: z.string().nullish(),
});

const HOUR_MS = 60 * 60_000;
/** Permissions are granted without notifying the bot. */
const REFUSED_TTL_MS = 60_000;
const MAX_PLACES = 2_000;

const DIRECT = 1;
const GROUP_DIRECT = 3;
const THREADS: readonly number[] = [10, 11, 12];

/** True for a thread, with the id of the channel that has it. */
function isThread(place: Pick<Place, "type" | "parentId">): place is Place & { readonly parentId: string } {
  return THREADS.includes(place.type) && place.parentId !== undefined;
}

/** The address of a place that is known. */
export function addressOf(place: Pick<Place, "id" | "type" | "guildId" | "parentId">): Conversation {
  const { id, type, guildId } = place;
  if (type === DIRECT) return { kind: "direct", id };
  if (type === GROUP_DIRECT) return { kind: "group", id };
  const space = guildId === undefined ? {} : { spaceId: guildId };
  return isThread(place) ? { kind: "channel", id: place.parentId, threadId: id, ...space } : { kind: "channel", id, ...space };
}

/** Creates an empty cache; `signal` ends its requests. */
export function createPlaces(api: DiscordApi, { clock }: Pick<ChannelHost, "clock">, { signal }: CallOptions): Places {
  const known = createBoundedMap<string, { readonly answer: Promise<Place | undefined>; readonly atMs: number; isRefused: boolean }>(
    MAX_PLACES,
  );
  let problem: string | undefined;
  const ask = async (id: string): Promise<Place | undefined> => {
    try {
      const place = parsePlace(await api.call("the channel", (sdk, given) => sdk.channels.get(id, given), { signal }));
      problem = undefined;
      return place;
    } catch (error) {
      if (!isFinal(error)) throw error;
      problem = `the bot may not see a channel that it is addressed in: ${reasonOf(error)}`;
      const entry = known.get(id);
      if (entry !== undefined) entry.isRefused = true;
      return undefined;
    }
  };
  const get: Places["get"] = async (id) => {
    const nowMs = clock.monotonic();
    const cached = known.get(id);
    if (cached !== undefined && nowMs - cached.atMs < (cached.isRefused ? REFUSED_TTL_MS : HOUR_MS)) return cached.answer;
    const entry = { answer: ask(id), atMs: nowMs, isRefused: false };
    known.set(id, entry);
    entry.answer.catch(() => {
      if (known.get(id) === entry) known.delete(id);
    });
    return entry.answer;
  };
  return {
    get,
    async conversationOf({ id, guildId }, options) {
      if (guildId === undefined) return { kind: "direct", id };
      const place = await get(id, options);
      return addressOf(place === undefined ? { id, type: 0, guildId, parentId: undefined } : { ...place, guildId });
    },
    forget: (id) => void known.delete(id),
    get problem() {
      return problem;
    },
  };
}

/** A channel of the platform; `undefined` for anything else. */
export function parsePlace(value: unknown): Place | undefined {
  const parsed = PlaceSchema.safeParse(value).data;
  if (parsed === undefined) return undefined;
  const { id, type, name, topic, guild_id: guildId, parent_id: parentId } = parsed;
  return { id, type, name: name ?? "", topic: topic ?? "", guildId, parentId: parentId ?? undefined };
}
