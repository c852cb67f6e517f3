import type { CallOptions } from "@factotum/channel-contract";
import { createBoundedMap } from "@factotum/channel-kit";
import * as z from "zod";
import { pathOf } from "../api/matrix-api.ts";
import type { MatrixApi } from "../api/matrix-api.ts";
import { isFinal } from "../errors.ts";
import { textIn } from "../inbound/event-schema.ts";
import type { StateEvent } from "../inbound/event-schema.ts";
import type { DirectRooms } from "./direct-rooms.ts";

/** What a room is. */
export interface RoomFacts {
  /** A direct chat: marked as one, and with no more than one other member. */
  readonly isDirect: boolean;
  readonly isEncrypted: boolean;
  readonly name?: string | undefined;
  readonly topic?: string | undefined;
}

/** The rooms of the account. Every call rejects with a PlatformFailure if the homeserver does not answer; what it refuses is absent. */
export interface RoomBook {
  get(roomId: string, options: CallOptions): Promise<RoomFacts>;
  /** Takes what the homeserver has sent of a room's state. */
  record(roomId: string, event: Pick<StateEvent, "type" | "content"> & { readonly state_key?: string | undefined }): void;
  /** The homeserver has left out a part of what happened in the room; without an id, in any. */
  invalidate(roomId?: string): void;
  /** Takes the name of a member. */
  recordName(roomId: string, member: Pick<StateEvent, "content"> & { readonly state_key?: string | undefined }): void;
  /** The name of a member, as far as it is known. */
  nameOf(roomId: string, userId: string): string | undefined;
  /** As `nameOf`, or as the homeserver has it. */
  fetchName(roomId: string, userId: string, options: CallOptions): Promise<string | undefined>;
  /** For people: what the homeserver refuses to tell. */
  readonly problem: string | undefined;
}

const MAX_ROOMS = 1_000;
const MAX_NAMES = 10_000;
const MAX_NAME_LENGTH = 200;
/** Failures in a row after which a room counts as a group, so that it does not hold up all others. */
const MAX_FAILURES = 5;
/** State that `get` reads. */
const READ = ["m.room.name", "m.room.topic", "m.room.canonical_alias", "m.room.encryption", "m.room.member", "m.room.tombstone"];

const JoinedSchema = z.looseObject({ joined: z.record(z.string(), z.unknown()) });

/** Creates an empty book. */
export function createRoomBook(api: MatrixApi, direct: DirectRooms): RoomBook {
  return new Book(api, direct);
}

/** Reads one state event; `undefined` if the room has none, or the homeserver refuses. Rejects with a PlatformFailure. */
export async function readState(
  api: MatrixApi,
  roomId: string,
  [type, key = ""]: readonly [type: string, key?: string],
  options: CallOptions,
): Promise<Readonly<Record<string, unknown>> | undefined> {
  const path = `${pathOf("rooms", roomId, "state", type)}/${encodeURIComponent(key)}`;
  const answer = await api.call("the room's state", { method: "GET", path }, options).catch((error: unknown) => {
    if (isFinal(error)) return undefined;
    throw error;
  });
  return z.record(z.string(), z.unknown()).safeParse(answer).data;
}

class Book implements RoomBook {
  readonly #api: MatrixApi;
  readonly #direct: DirectRooms;
  readonly #facts = createBoundedMap<string, Promise<RoomFacts>>(MAX_ROOMS);
  readonly #failures = createBoundedMap<string, number>(MAX_ROOMS);
  readonly #names = createBoundedMap<string, string>(MAX_NAMES);
  #isRefused = false;

  constructor(api: MatrixApi, direct: DirectRooms) {
    this.#api = api;
    this.#direct = direct;
  }

  get problem(): string | undefined {
    return this.#isRefused ? "the homeserver refuses to name members of a room: the bot may not read it" : undefined;
  }

  async get(roomId: string, options: CallOptions): Promise<RoomFacts> {
    const known = this.#facts.get(roomId);
    if (known !== undefined) return known;
    const reading = this.#read(roomId, options);
    this.#facts.set(roomId, reading);
    try {
      const facts = await reading;
      this.#failures.delete(roomId);
      return facts;
    } catch (error) {
      if (this.#facts.get(roomId) === reading) this.#facts.delete(roomId);
      const failures = (this.#failures.get(roomId) ?? 0) + 1;
      this.#failures.set(roomId, failures);
      if (failures < MAX_FAILURES || options.signal.aborted) throw error;
      return { isDirect: false, isEncrypted: false };
    }
  }

  record(
    roomId: string,
    { type, state_key: key, content }: Pick<StateEvent, "type" | "content"> & { readonly state_key?: string | undefined },
  ): void {
    if (READ.includes(type)) this.#facts.delete(roomId);
    if (type === "m.room.member") this.recordName(roomId, { state_key: key, content });
  }

  invalidate(roomId?: string): void {
    if (roomId === undefined) this.#facts.clear();
    else this.#facts.delete(roomId);
  }

  recordName(roomId: string, { state_key: key, content }: Pick<StateEvent, "content"> & { readonly state_key?: string | undefined }): void {
    if (key === undefined) return;
    const name = textIn(content, "displayname").trim().slice(0, MAX_NAME_LENGTH).toWellFormed();
    if (name === "") this.#names.delete(`${roomId}/${key}`);
    else this.#names.set(`${roomId}/${key}`, name);
  }

  nameOf(roomId: string, userId: string): string | undefined {
    return this.#names.get(`${roomId}/${userId}`);
  }

  async fetchName(roomId: string, userId: string, options: CallOptions): Promise<string | undefined> {
    const known = this.nameOf(roomId, userId);
    if (known !== undefined) return known;
    const member = await readState(this.#api, roomId, ["m.room.member", userId], options);
    this.#isRefused = member === undefined;
    if (member !== undefined) this.recordName(roomId, { state_key: userId, content: member });
    return this.nameOf(roomId, userId);
  }

  async #read(roomId: string, options: CallOptions): Promise<RoomFacts> {
    const [encryption, name, alias, topic, isDirect] = await Promise.all([
      readState(this.#api, roomId, ["m.room.encryption"], options),
      readState(this.#api, roomId, ["m.room.name"], options),
      readState(this.#api, roomId, ["m.room.canonical_alias"], options),
      readState(this.#api, roomId, ["m.room.topic"], options),
      this.#isDirect(roomId, options),
    ]);
    const shown = textIn(name ?? {}, "name").trim() || textIn(alias ?? {}, "alias");
    const about = textIn(topic ?? {}, "topic").trim();
    return {
      isDirect,
      isEncrypted: encryption !== undefined,
      ...(shown !== "" && { name: shown.slice(0, MAX_NAME_LENGTH).toWellFormed() }),
      ...(about !== "" && { topic: about.slice(0, 1_000).toWellFormed() }),
    };
  }

  /** A third person in a room that is marked as direct makes it a group: they read what is said there. */
  async #isDirect(roomId: string, options: CallOptions): Promise<boolean> {
    if (!(await this.#direct.has(roomId, options))) return false;
    const path = `${pathOf("rooms", roomId, "joined_members")}`;
    const answer = await this.#api.call("the room's members", { method: "GET", path }, options).catch((error: unknown) => {
      if (isFinal(error)) return undefined;
      throw error;
    });
    const members = JoinedSchema.safeParse(answer).data?.joined;
    return members !== undefined && Object.keys(members).length <= 2;
  }
}
