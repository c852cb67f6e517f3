import type { CallOptions, ChannelHost, DirectoryEntry, Origin } from "@factotum/channel-contract";
import * as z from "zod";
import { pathOf } from "../api/matrix-api.ts";
import type { MatrixApi } from "../api/matrix-api.ts";
import { conversationOf, isRoomId } from "../conversation-id.ts";
import { isFinal } from "../errors.ts";
import { isUserId } from "../inbound/user-links.ts";
import type { DirectRooms } from "../rooms/direct-rooms.ts";
import { readState } from "../rooms/room-book.ts";
import type { RoomBook } from "../rooms/room-book.ts";

/** People of the homeserver, and the rooms that the bot is in. Every call rejects with a PlatformFailure. */
export interface Directory {
  /** As `Channel.directory`. */
  search(query: string, options: CallOptions & { readonly limit: number }): Promise<readonly DirectoryEntry[]>;
  /** As `Channel.resolveTarget`: an id, an alias (`#name:server`) or a name. A person without a direct chat is invited to one. */
  resolve(query: string, options: CallOptions): Promise<Origin | undefined>;
}

/** What a directory needs. */
interface DirectoryParts {
  readonly api: MatrixApi;
  readonly book: RoomBook;
  readonly direct: DirectRooms;
  readonly host: Pick<ChannelHost, "accountId">;
  /** The bot's user id. */
  readonly userId: string;
}

/** Rooms whose names are looked through; more are not found by name. */
const MAX_ROOMS = 200;
const MAX_PEOPLE = 100;

const RoomsSchema = z.looseObject({ joined_rooms: z.array(z.string()) });
const PeopleSchema = z.looseObject({ results: z.array(z.looseObject({ user_id: z.string(), display_name: z.string().nullish() })) });
const AliasSchema = z.looseObject({ room_id: z.string() });
const CreatedSchema = z.looseObject({ room_id: z.string() });

/** Creates the directory of one account. */
export function createDirectory(parts: DirectoryParts): Directory {
  return {
    async search(query, { limit, signal }) {
      const wanted = query.trim().toLowerCase();
      const [people, rooms] = await Promise.all([searchPeople(parts, wanted, { signal }), namedRooms(parts, { signal })]);
      const found = rooms.filter(({ id, name = "" }) => id.toLowerCase().includes(wanted) || name.toLowerCase().includes(wanted));
      return [...people, ...found].slice(0, limit);
    },
    async resolve(query, options) {
      const [, kind, rest = ""] = /^(?:(user|channel|group|room):)?(.*)$/s.exec(query.trim()) ?? [];
      const wanted = rest.trim();
      if (isUserId(wanted)) return kind === undefined || kind === "user" ? resolvePerson(parts, wanted, options) : undefined;
      if (isRoomId(wanted)) return kind === "user" ? undefined : resolveRoom(parts, wanted, options);
      if (/^#[^:\s]+:\S+$/.test(wanted)) return resolveAlias(parts, wanted, options);
      if (wanted === "") return undefined;
      const name = wanted.toLowerCase();
      const [people, rooms] = await Promise.all([
        kind === undefined || kind === "user" ? searchPeople(parts, name, options) : [],
        kind === "user" ? [] : namedRooms(parts, options),
      ]);
      const found = [...people, ...rooms].filter((entry) => entry.name?.toLowerCase() === name);
      const [only] = found;
      if (only === undefined || found.length > 1) return undefined;
      return only.type === "person" ? resolvePerson(parts, only.id, options) : resolveRoom(parts, only.id, options);
    },
  };
}

async function searchPeople({ api, userId }: DirectoryParts, term: string, options: CallOptions): Promise<readonly DirectoryEntry[]> {
  if (term === "") return [];
  const body = { search_term: term, limit: MAX_PEOPLE };
  const answer = await optional(api.call("the people", { method: "POST", path: "/user_directory/search", body }, options));
  const found = PeopleSchema.safeParse(answer).data?.results ?? [];
  return found.flatMap(({ user_id: id, display_name: name }) =>
    id === userId || !isUserId(id) ? [] : [{ type: "person", id, ...(typeof name === "string" && name !== "" && { name }) }],
  );
}

async function namedRooms({ api, book }: DirectoryParts, options: CallOptions): Promise<readonly DirectoryEntry[]> {
  const { joined_rooms: ids } = RoomsSchema.parse(await api.call("the joined rooms", { method: "GET", path: "/joined_rooms" }, options));
  const rooms: DirectoryEntry[] = [];
  for (const id of ids.slice(0, MAX_ROOMS)) {
    const { isDirect, name } = await book.get(id, options);
    if (!isDirect) rooms.push({ type: "group", id, ...(name !== undefined && { name }) });
  }
  return rooms;
}

async function resolveRoom({ api, book, host, userId }: DirectoryParts, roomId: string, options: CallOptions): Promise<Origin | undefined> {
  const own = await readState(api, roomId, ["m.room.member", userId], options);
  if (own?.["membership"] !== "join") return undefined;
  return { channel: "matrix", accountId: host.accountId, conversation: conversationOf(roomId, await book.get(roomId, options)) };
}

async function resolveAlias(parts: DirectoryParts, alias: string, options: CallOptions): Promise<Origin | undefined> {
  const answer = await optional(parts.api.call("the alias", { method: "GET", path: pathOf("directory", "room", alias) }, options));
  const id = AliasSchema.safeParse(answer).data?.room_id;
  return id === undefined || !isRoomId(id) ? undefined : resolveRoom(parts, id, options);
}

/** The newest direct chat with a person, or a new one, to which the person is invited. */
async function resolvePerson(parts: DirectoryParts, personId: string, options: CallOptions): Promise<Origin | undefined> {
  const { api, direct, host, userId } = parts;
  if (personId === userId) return undefined;
  for (const roomId of (await direct.roomsOf(personId, options)).toReversed()) {
    const origin = isRoomId(roomId) ? await resolveRoom(parts, roomId, options) : undefined;
    if (origin?.conversation.kind === "direct" && !(await parts.book.get(roomId, options)).isEncrypted) return origin;
  }
  const body = { preset: "trusted_private_chat", is_direct: true, invite: [personId] };
  const answer = await optional(api.call("the direct chat", { method: "POST", path: "/createRoom", body }, options));
  const roomId = CreatedSchema.safeParse(answer).data?.room_id;
  if (roomId === undefined) return undefined;
  await direct.add(roomId, personId, options);
  parts.book.invalidate(roomId);
  return { channel: "matrix", accountId: host.accountId, conversation: { kind: "direct", id: roomId } };
}

/** What the homeserver refuses for good is not there. */
async function optional<T>(call: Promise<T>): Promise<T | undefined> {
  return call.catch((error: unknown) => {
    if (isFinal(error)) return undefined;
    throw error;
  });
}
