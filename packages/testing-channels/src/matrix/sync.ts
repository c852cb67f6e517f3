import type { FakeMatrixApp } from "./app.ts";
import { clientEvent } from "./client-event.ts";
import { matches } from "./filter.ts";
import type { SyncFilter } from "./filter.ts";
import { invalid } from "./refusal.ts";
import type { MatrixRoom, StreamEntry } from "./room.ts";
import type { MatrixStore } from "./store.ts";

/** One sync of a user. */
export interface SyncRequest {
  readonly userId: string;
  readonly since: number | undefined;
  readonly filter: SyncFilter;
}

const DEFAULT_LIMIT = 10;
/** What an invited user sees of a room. */
const STRIPPED = ["m.room.create", "m.room.name", "m.room.join_rules", "m.room.encryption", "m.room.canonical_alias"];

/** The position of a token. */
export function positionOf(token: string): number {
  const [, position] = /^[st](\d+)$/.exec(token) ?? [];
  if (position === undefined) throw invalid("Invalid stream token");
  return Number(position);
}

/** What has happened for a user since a position; `undefined` if it is nothing. */
export function syncAnswer(
  app: FakeMatrixApp,
  store: MatrixStore,
  directSince: ReadonlyMap<string, number>,
  request: SyncRequest,
): { readonly isEmpty: boolean; readonly body: object } {
  const { userId, since, filter } = request;
  const join: Record<string, object> = {};
  const invite: Record<string, object> = {};
  const leave: Record<string, object> = {};
  for (const room of store.rooms.values()) {
    const membership = room.membershipOf(userId);
    const changedAt = room.membershipSince(userId);
    const isNew = since === undefined || changedAt > since;
    if (membership === "invite" && isNew) invite[room.id] = { invite_state: { events: inviteState(room, userId) } };
    if (membership === "join") {
      const body = joined(app, room, request, { isNew });
      if (body !== undefined) join[room.id] = body;
    }
    if ((membership === "leave" || membership === "ban") && isNew && since !== undefined) {
      const body = joined(app, room, request, { isNew: false, until: changedAt });
      if (body !== undefined) leave[room.id] = body;
    }
  }
  const hasDirect = (directSince.get(userId) ?? 0) > (since ?? 0) && matches(filter.account_data ?? {}, "m.direct");
  const own = hasDirect ? [{ type: "m.direct", content: app.direct.get(userId) ?? {} }] : [];
  const isEmpty = own.length + Object.keys(join).length + Object.keys(invite).length + Object.keys(leave).length === 0;
  return {
    isEmpty,
    body: {
      next_batch: `s${store.position}`,
      account_data: { events: own },
      presence: { events: [] },
      to_device: { events: [] },
      device_lists: { changed: [], left: [] },
      device_one_time_keys_count: {},
      rooms: { join, invite, leave, knock: {} },
    },
  };
}

function joined(
  app: FakeMatrixApp,
  room: MatrixRoom,
  { userId, since, filter }: SyncRequest,
  { isNew, until = Number.POSITIVE_INFINITY }: { readonly isNew: boolean; readonly until?: number },
): object | undefined {
  const timeline = filter.room?.timeline ?? {};
  const stateFilter = filter.room?.state ?? {};
  const limit = timeline.limit ?? DEFAULT_LIMIT;
  const from = isNew ? 0 : (since ?? 0);
  const all = room.stream.filter((entry) => entry.position > from && entry.position <= until && isWanted(entry, timeline));
  const given = limit === 0 ? [] : all.slice(-limit);
  const limited = given.length < all.length;
  const view = { room, userId, now: app.now() };
  const senders = new Set(given.map(({ event }) => event?.sender));
  const firstAt = given[0]?.position ?? Number.POSITIVE_INFINITY;
  const changed = room.allState.filter((event) =>
    isNew || limited ? true : room.stream.some((entry) => entry.event === event && entry.position > from),
  );
  const state = changed.filter((event) => {
    const isGiven = given.some((entry) => entry.event === event);
    const isLazy = event.type === "m.room.member" && stateFilter.lazy_load_members === true;
    return !isGiven && matches(stateFilter, event.type) && (!isLazy || senders.has(event.state_key) || event.state_key === userId);
  });
  const lazy =
    stateFilter.lazy_load_members === true && matches(stateFilter, "m.room.member")
      ? room.members.filter(
          (event) => senders.has(event.state_key) && !state.includes(event) && !given.some((entry) => entry.event === event),
        )
      : [];
  // A room that the filter empties is left out.
  if (given.length + state.length === 0) return undefined;
  return {
    timeline: {
      events: given.map(({ event, raw }) => (event === undefined ? raw : clientEvent(event, view))),
      limited,
      prev_batch: `t${Math.min(firstAt - 1, 1_000_000_000)}`,
    },
    state: { events: app.refusesReads ? [] : [...state, ...lazy].map((event) => clientEvent(event, view)) },
    ephemeral: { events: [] },
    account_data: { events: [] },
    summary: { "m.joined_member_count": room.members.length, "m.invited_member_count": 0 },
    unread_notifications: { notification_count: 0, highlight_count: 0 },
  };
}

function isWanted({ event }: StreamEntry, filter: SyncFilter["account_data"] & object): boolean {
  return event === undefined ? !(filter.not_types?.includes("*") ?? false) : matches(filter, event.type);
}

function inviteState(room: MatrixRoom, userId: string): readonly object[] {
  const member = room.state("m.room.member", userId);
  const inviter = member === undefined ? undefined : room.state("m.room.member", member.sender);
  const events = [
    ...room.allState.filter(({ type }) => STRIPPED.includes(type)),
    ...(inviter === undefined ? [] : [inviter]),
    ...(member === undefined ? [] : [member]),
  ];
  return events.map(({ type, sender, state_key: key, content }) => ({ type, sender, state_key: key, content }));
}
