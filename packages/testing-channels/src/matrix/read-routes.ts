import { clientEvent } from "./client-event.ts";
import { textOf } from "./event.ts";
import type { StoredEvent } from "./event.ts";
import { matches } from "./filter.ts";
import type { EventFilter } from "./filter.ts";
import { forbidden, notFound } from "./refusal.ts";
import type { MatrixCall, MatrixRoute } from "./request.ts";
import type { MatrixRoom } from "./room.ts";
import { positionOf } from "./sync.ts";

const ROOM = String.raw`/client/v3/rooms/([^/]+)`;
const ROOM_V1 = String.raw`/client/v1/rooms/([^/]+)`;

function route(method: string, path: string, run: MatrixRoute["run"]): MatrixRoute {
  return { method, path: new RegExp(`^${path}$`), isRead: true, run };
}

/** A room whose past a user may read: one who has left still can. */
function readableRoom({ store, user, parts: [roomId = ""] }: MatrixCall): MatrixRoom {
  const room = store.rooms.get(roomId);
  if (room === undefined || !["join", "leave"].includes(room.membershipOf(user.id)))
    throw forbidden(`User ${user.id} not in room ${roomId}`);
  return room;
}

function show({ app, user }: MatrixCall, room: MatrixRoom, events: readonly StoredEvent[]): readonly object[] {
  return events.map((event) => clientEvent(event, { room, userId: user.id, now: app.now() }));
}

function eventIn(room: MatrixRoom, eventId: string): StoredEvent {
  const event = room.events.get(eventId);
  if (event === undefined) throw notFound("Event not found.");
  return event;
}

function limitOf(query: Readonly<Record<string, string>>, otherwise: number): number {
  const limit = Number(query["limit"] ?? otherwise);
  return Number.isSafeInteger(limit) && limit >= 0 ? Math.min(limit, 1_000) : otherwise;
}

/** A room's events, newest first, below a position. */
function backwards(
  room: MatrixRoom,
  from: number,
  filter: EventFilter,
): readonly { readonly position: number; readonly event: StoredEvent }[] {
  return room.stream
    .flatMap(({ position, event }) => (event !== undefined && position <= from && matches(filter, event.type) ? [{ position, event }] : []))
    .toReversed();
}

/** Requests that read rooms. */
export const READ_ROUTES: readonly MatrixRoute[] = [
  route("GET", `${ROOM}/state`, (call) => show(call, readableRoom(call), readableRoom(call).allState)),
  route("GET", `${ROOM}/state/([^/]+)(?:/([^/]*))?`, (call) => {
    const [, type = "", key = ""] = call.parts;
    const content = readableRoom(call).contentOf(type, key);
    if (content === undefined) throw notFound("Event not found.");
    return content;
  }),
  route("GET", `${ROOM}/event/([^/]+)`, (call) => {
    const room = readableRoom(call);
    return show(call, room, [eventIn(room, call.parts[1] ?? "")])[0];
  }),
  route("GET", `${ROOM}/joined_members`, (call) => {
    const room = call.store.joinedRoom(call.parts[0] ?? "", call.user.id);
    return {
      joined: Object.fromEntries(
        room.members.map(({ state_key: id = "", content }) => [id, { display_name: textOf(content, "displayname") || null }]),
      ),
    };
  }),
  route("GET", `${ROOM}/members`, (call) => {
    const room = readableRoom(call);
    return {
      chunk: show(
        call,
        room,
        room.allState.filter(({ type }) => type === "m.room.member"),
      ),
    };
  }),
  route("GET", `${ROOM}/messages`, (call) => {
    const { query } = call;
    const room = readableRoom(call);
    const filter = JSON.parse(query["filter"] ?? "{}") as EventFilter;
    const from = query["from"] === undefined ? call.store.position : positionOf(query["from"]);
    const to = query["to"] === undefined ? 0 : positionOf(query["to"]);
    const all = backwards(room, from, filter).filter(({ position }) => position > to);
    const page = all.slice(0, limitOf(query, 10));
    const last = page.at(-1);
    const senders = new Set(page.map(({ event }) => event.sender));
    const members = filter.lazy_load_members === true ? room.members.filter(({ state_key: id }) => senders.has(id ?? "")) : [];
    return {
      chunk: show(
        call,
        room,
        page.map(({ event }) => event),
      ),
      start: `t${from}`,
      ...(last !== undefined && page.length < all.length && { end: `t${last.position - 1}` }),
      state: show(call, room, members),
    };
  }),
  route("GET", `${ROOM}/context/([^/]+)`, (call) => {
    const room = readableRoom(call);
    const event = eventIn(room, call.parts[1] ?? "");
    const at = room.stream.find((entry) => entry.event === event)?.position ?? 0;
    return { event: show(call, room, [event])[0], events_before: [], events_after: [], start: `t${at - 1}`, end: `t${at}`, state: [] };
  }),
  route("GET", `${ROOM_V1}/relations/([^/]+)(?:/([^/]+))?(?:/([^/]+))?`, (call) => {
    const [, id = "", relation, type] = call.parts;
    const room = readableRoom(call);
    eventIn(room, id);
    const all = room
      .relatedTo(id, relation || undefined)
      .filter((event) => type === "" || event.type === type)
      .toReversed();
    const from = Number(call.query["from"] ?? 0);
    const page = all.slice(from, from + limitOf(call.query, 5));
    return { chunk: show(call, room, page), ...(from + page.length < all.length && { next_batch: String(from + page.length) }) };
  }),
  route("GET", `${ROOM_V1}/threads`, (call) => {
    const room = readableRoom(call);
    const roots = [...room.events.values()].filter(({ event_id: id }) => room.relatedTo(id, "m.thread").length > 0);
    return { chunk: show(call, room, roots.toReversed().slice(0, limitOf(call.query, 10))) };
  }),
  route("POST", "/client/v3/search", (call) => {
    const { search_categories: categories } = call.json() as {
      readonly search_categories: {
        readonly room_events: {
          readonly search_term: string;
          readonly filter: { readonly rooms: readonly string[]; readonly limit: number };
        };
      };
    };
    const { search_term: term, filter } = categories.room_events;
    const results = filter.rooms.flatMap((roomId) => {
      const room = call.store.joinedRoom(roomId, call.user.id);
      const found = [...room.events.values()].filter(
        ({ type, content }) => type === "m.room.message" && textOf(content, "body").toLowerCase().includes(term.toLowerCase()),
      );
      return show(call, room, found.toReversed()).map((result) => ({ rank: 1, result }));
    });
    return { search_categories: { room_events: { count: results.length, results: results.slice(0, filter.limit) } } };
  }),
];
