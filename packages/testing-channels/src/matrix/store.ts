import type { FakeMatrixApp } from "./app.ts";
import { checkContent, relationIn, textOf } from "./event.ts";
import type { MatrixContent, StoredEvent } from "./event.ts";
import { forbidden, invalid, notFound } from "./refusal.ts";
import { MatrixRoom } from "./room.ts";

/** An event that is put into a room. */
export interface MatrixEventInput {
  readonly roomId: string;
  readonly type: string;
  readonly sender: string;
  readonly content: MatrixContent;
  readonly stateKey?: string;
  readonly redacts?: string;
}

/** A room that is made. */
export interface MatrixRoomInput {
  readonly creator: string;
  readonly name?: string;
  /** Further members, who have joined. */
  readonly members?: readonly string[];
  readonly invited?: readonly string[];
  /** Marked as direct by the invitations. */
  readonly isDirect?: boolean;
  readonly isEncrypted?: boolean;
  readonly alias?: string;
  /** The room that it replaces. */
  readonly predecessor?: string;
}

/** State that everybody with the power of a moderator can change. */
const STATE_LEVEL = 50;

/** The rooms of a homeserver, and the order of everything that happens in them. */
export class MatrixStore {
  readonly rooms: Map<string, MatrixRoom> = new Map();
  readonly aliases: Map<string, string> = new Map();
  readonly #app: FakeMatrixApp;
  readonly #listeners = new Set<() => void>();
  #position = 1;
  #ids = 0;
  #isHiding = false;

  constructor(app: FakeMatrixApp) {
    this.#app = app;
  }

  /** The position behind everything. */
  get position(): number {
    return this.#position;
  }

  /** Moves on without an event, such as for changed account data. */
  touch(): number {
    this.#position += 1;
    for (const listener of this.#listeners) listener();
    return this.#position;
  }

  onChange(listener: () => void): () => void {
    this.#listeners.add(listener);
    return () => void this.#listeners.delete(listener);
  }

  newId(sigil: "$" | "!"): string {
    this.#ids += 1;
    return sigil === "!" ? `!room${this.#ids}:${this.#app.serverName}` : eventId(this.#ids);
  }

  room(roomId: string): MatrixRoom {
    const room = this.rooms.get(roomId);
    if (room === undefined) throw notFound(`Unknown room ${roomId}`);
    return room;
  }

  /** The room of a user's request. */
  joinedRoom(roomId: string, userId: string): MatrixRoom {
    const room = this.rooms.get(roomId);
    if (room === undefined || room.membershipOf(userId) !== "join") throw forbidden(`User ${userId} not in room ${roomId}`);
    return room;
  }

  createRoom(input: MatrixRoomInput, id: string = this.newId("!")): MatrixRoom {
    const { creator, name, members = [], invited = [], isDirect = false, isEncrypted = false, alias, predecessor } = input;
    const room = new MatrixRoom(id);
    this.rooms.set(room.id, room);
    const add = (type: string, content: MatrixContent, stateKey = "", sender = creator): void =>
      void this.append({ roomId: room.id, type, sender, content, stateKey });
    add("m.room.create", { room_version: "10", creator, ...(predecessor !== undefined && { predecessor: { room_id: predecessor } }) });
    add("m.room.member", this.memberContent(creator, "join"), creator);
    add("m.room.power_levels", { users: { [creator]: 100 }, users_default: 0, state_default: STATE_LEVEL, redact: 50, invite: 0 });
    if (alias !== undefined) {
      this.aliases.set(alias, room.id);
      add("m.room.canonical_alias", { alias });
    }
    if (name !== undefined) add("m.room.name", { name });
    if (isEncrypted) add("m.room.encryption", { algorithm: "m.megolm.v1.aes-sha2" });
    for (const userId of [...members, ...invited])
      add("m.room.member", { ...this.memberContent(userId, "invite"), ...(isDirect && { is_direct: true }) }, userId);
    for (const userId of members) add("m.room.member", this.memberContent(userId, "join"), userId, userId);
    return room;
  }

  memberContent(userId: string, membership: string): MatrixContent {
    const { displayName } = this.#app.users.get(userId) ?? {};
    return { membership, ...(displayName !== undefined && { displayname: displayName }) };
  }

  /** Puts an event into a room, without any check. */
  append({ roomId, type, sender, content, stateKey, redacts }: MatrixEventInput): StoredEvent {
    const room = this.room(roomId);
    const replaced = stateKey === undefined ? undefined : room.state(type, stateKey);
    const event: StoredEvent = {
      type,
      event_id: this.newId("$"),
      room_id: roomId,
      sender,
      origin_server_ts: this.#app.now(),
      content,
      ...(stateKey !== undefined && { state_key: stateKey }),
      ...(redacts !== undefined && { redacts }),
      ...(replaced !== undefined && { replaced: { content: replaced.content, sender: replaced.sender } }),
    };
    room.add(event, this.#isHiding ? undefined : this.#position + 1);
    if (!this.#isHiding) this.touch();
    return event;
  }

  /** What `create` appends is in its room, and reaches no client until it is delivered. */
  hide(create: () => StoredEvent): StoredEvent {
    this.#isHiding = true;
    try {
      return create();
    } finally {
      this.#isHiding = false;
    }
  }

  /** The id of the next event. */
  peekId(): string {
    return eventId(this.#ids + 1);
  }

  /** Gives something to the members of a room once more, or something that is no event at all. Resolves with its position. */
  redeliver(roomId: string, raw: unknown): number {
    const room = this.room(roomId);
    const { event_id: id } = (typeof raw === "object" ? (raw ?? {}) : {}) as { readonly event_id?: unknown };
    room.stream.push({ position: this.#position + 1, raw, event: typeof id === "string" ? room.events.get(id) : undefined });
    return this.touch();
  }

  /** Puts a user's event into a room, as far as the user may do that. */
  send(input: MatrixEventInput): StoredEvent {
    const { roomId, type, sender, content, stateKey } = input;
    const room = this.joinedRoom(roomId, sender);
    checkContent(content);
    if (stateKey !== undefined && room.powerOf(sender) < STATE_LEVEL)
      throw forbidden(`You don't have permission to post that to the room. user_level (0) < send_level (${STATE_LEVEL})`);
    this.#checkRelation(room, sender, content);
    if (type === "m.room.message" && (textOf(content, "msgtype") === "" || typeof content["body"] !== "string"))
      throw invalid("Event has no msgtype or body", "M_BAD_JSON");
    return this.append(input);
  }

  /** Removes what an event says. */
  redact({ roomId, eventId, sender }: { readonly roomId: string; readonly eventId: string; readonly sender: string }): StoredEvent {
    const room = this.joinedRoom(roomId, sender);
    const target = room.events.get(eventId);
    if (target === undefined) throw notFound("Could not find event to redact");
    if (target.sender !== sender && room.powerOf(sender) < 50) throw forbidden("You don't have permission to redact events");
    const event = this.append({ roomId, type: "m.room.redaction", sender, content: {}, redacts: eventId });
    target.content = {};
    target.redactedBy = event.event_id;
    return event;
  }

  /** Changes a membership, as far as the user may do that. */
  setMembership({
    roomId,
    userId,
    membership,
    by,
    isDirect = false,
  }: {
    readonly roomId: string;
    readonly userId: string;
    readonly membership: "join" | "invite" | "leave";
    readonly by: string;
    readonly isDirect?: boolean;
  }): StoredEvent {
    const room = this.rooms.get(roomId);
    if (room === undefined) throw notFound("Can't join remote room because no servers that are in the room have been provided.");
    const isSelf = userId === by;
    if (
      membership === "join" &&
      !["invite", "join"].includes(room.membershipOf(userId)) &&
      textOf(room.contentOf("m.room.join_rules") ?? {}, "join_rule") !== "public"
    )
      throw forbidden("You are not invited to this room.");
    if (membership === "invite" && room.membershipOf(by) !== "join") throw forbidden(`User ${by} not in room ${roomId}`);
    if (membership === "leave" && !isSelf && room.powerOf(by) < 50) throw forbidden("You cannot kick user");
    const content = { ...this.memberContent(userId, membership), ...(isDirect && { is_direct: true }) };
    return this.append({ roomId, type: "m.room.member", sender: by, content, stateKey: userId });
  }

  #checkRelation(room: MatrixRoom, sender: string, content: MatrixContent): void {
    const { type, eventId = "", key } = relationIn(content);
    if (
      type === "m.annotation" &&
      room.relatedTo(eventId, "m.annotation").some((one) => one.sender === sender && relationIn(one.content).key === key)
    )
      throw invalid("Can't send same reaction twice", "M_DUPLICATE_ANNOTATION");
    const target = room.events.get(eventId);
    if (type === "m.thread" && target !== undefined && relationIn(target.content).type !== undefined)
      throw invalid("Cannot start threads from an event with a relation", "M_UNKNOWN");
  }
}

function eventId(count: number): string {
  return `$event${count}_${"x".repeat(20)}`;
}
