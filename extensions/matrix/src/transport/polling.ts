import type { CallOptions, ChannelHealth, ChannelHost } from "@factotum/channel-contract";
import { createPoller, PlatformFailure } from "@factotum/channel-kit";
import type { PollAnswer } from "@factotum/channel-kit";
import { askForBot } from "../api/bot-identity.ts";
import type { MatrixBot } from "../api/bot-identity.ts";
import type { MatrixApi } from "../api/matrix-api.ts";
import { isRefusal, isTooLarge, toChannelError } from "../errors.ts";
import type { AcceptEvents, SyncedEvent } from "../inbound/accept-event.ts";
import { EventSchema } from "../inbound/event-schema.ts";
import type { DirectRooms } from "../rooms/direct-rooms.ts";
import type { RoomBook } from "../rooms/room-book.ts";
import { fetchGap } from "./fetch-gap.ts";
import { FIRST_FILTER, SYNC_LIMITS, syncFilter } from "./sync-filter.ts";
import { SyncSchema } from "./sync-schema.ts";
import type { SyncAnswer, SyncedRoom } from "./sync-schema.ts";

/** How long the homeserver holds a sync that has nothing. */
const POLL_MS = 25_000;
/** A slow homeserver collects for a while what has happened since. */
const SYNC_TIMEOUT_MS = 90_000;
const MAX_SYNC_BYTES = 32 * 1024 * 1024;

/** Dependencies of polling. */
export interface PollingParts {
  readonly api: MatrixApi;
  readonly bot: MatrixBot;
  readonly userId: string;
  readonly host: ChannelHost;
  readonly book: RoomBook;
  readonly direct: DirectRooms;
  readonly accept: AcceptEvents;
}

/** The receiving half of the channel. */
export interface Transport {
  start(options: CallOptions): Promise<void>;
  health(): ChannelHealth;
  stop(options: CallOptions): Promise<void>;
}

/** Creates the transport that asks the homeserver for events. It gives an event again until it is asked with a later position. */
export function createPolling(parts: PollingParts): Transport {
  const { host, accept } = parts;
  const poller = createPoller<SyncedEvent>({
    host,
    check: (options) => mapped(check(parts, options)),
    poll: (cursor, options) => mapped(poll(parts, cursor, options)),
    accept,
  });
  return {
    start: (options) => mapped(poller.start(options)),
    health: () => poller.health(),
    stop: (options) => poller.stop(options),
  };
}

/** Checks the token, and gives the account its first position: only what happens later is answered. */
async function check(parts: PollingParts, options: CallOptions): Promise<void> {
  const { api, bot, userId, host, accept } = parts;
  // A token that was right may have been revoked since.
  await (bot.known === undefined ? bot.get(options) : askForBot(api, { userId }, options));
  if ((await host.cursor()) !== undefined) return;
  const first = await sync(parts, undefined, options);
  for (const invitation of invitationsOf(first)) await accept([invitation], {}, options);
  await host.commit({ cursor: first.next_batch });
}

async function poll(parts: PollingParts, cursor: string | undefined, options: CallOptions): Promise<PollAnswer<SyncedEvent>> {
  const answer = await sync(parts, cursor, options).catch(async (error: unknown) => {
    if (!isRefusal(error, "M_UNKNOWN_POS")) throw error;
    parts.host.logger.warn("messages may be lost: the homeserver does not know the position of the last sync any more");
    return undefined;
  });
  if (answer === undefined || cursor === undefined) {
    const first = await sync(parts, undefined, options);
    return { events: invitationsOf(first).map((event) => ({ event })), cursor: first.next_batch };
  }
  recordState(parts, answer);
  const events = [...invitationsOf(answer)];
  for (const [roomId, room] of Object.entries(answer.rooms.join))
    events.push(...(await eventsOf(parts, { roomId, room, since: cursor }, options)));
  for (const [roomId, room] of Object.entries(answer.rooms.leave)) events.push(...timeline(roomId, room.timeline.events));
  return { events: events.map((event) => ({ event })), cursor: answer.next_batch };
}

function invitationsOf({ rooms }: SyncAnswer): readonly SyncedEvent[] {
  return Object.entries(rooms.invite).map(([roomId, { invite_state: state }]) => ({ type: "invitation", roomId, state: state.events }));
}

async function sync(parts: PollingParts, cursor: string | undefined, options: CallOptions): Promise<SyncAnswer> {
  if (cursor === undefined) return syncOnce(parts, { filter: FIRST_FILTER, timeout: "0" }, options);
  const [first = 1, ...fewer] = SYNC_LIMITS;
  const ask = async (limit: number): Promise<SyncAnswer> =>
    syncOnce(parts, { filter: syncFilter(limit), timeout: String(POLL_MS), since: cursor }, options);
  // The same question would get the same answer for ever.
  return fewer.reduce(
    async (before, limit) =>
      before.catch((error: unknown) => {
        if (!isTooLarge(error)) throw error;
        parts.host.logger.info("the sync is too large; fewer events of each room are asked for", { limit });
        return ask(limit);
      }),
    ask(first),
  );
}

async function syncOnce({ api }: PollingParts, query: Readonly<Record<string, string>>, options: CallOptions): Promise<SyncAnswer> {
  const limits = { ...options, timeoutMs: SYNC_TIMEOUT_MS, maxBytes: MAX_SYNC_BYTES };
  const parsed = SyncSchema.safeParse(await api.call("the sync", { method: "GET", path: "/sync", query }, limits));
  if (!parsed.success) throw new PlatformFailure({ type: "no-answer" }, "the sync: the answer does not have the documented form");
  return parsed.data;
}

/** What was said in a room since the last sync. What was said before the bot came is not answered. */
async function eventsOf(
  parts: PollingParts,
  { roomId, room, since }: { readonly roomId: string; readonly room: SyncedRoom; readonly since: string },
  options: CallOptions,
): Promise<readonly SyncedEvent[]> {
  const { events, limited, prev_batch: from } = room.timeline;
  const isJoin = isOwnJoin(parts.userId);
  const joined = events.findLastIndex(isJoin);
  if (joined !== -1) return timeline(roomId, events.slice(joined));
  if (!limited || from === undefined) return timeline(roomId, events);
  parts.book.invalidate(roomId);
  const gap = await fetchGap(parts, { roomId, from, to: since }, { ...options, isStart: isJoin });
  for (const event of gap.state) recordEvent(parts, roomId, event);
  return timeline(roomId, [...gap.events, ...events]);
}

function timeline(roomId: string, events: readonly unknown[]): readonly SyncedEvent[] {
  return events.map((event) => ({ type: "timeline", roomId, event }));
}

/** True for the event with which the bot came into a room. */
function isOwnJoin(userId: string): (event: unknown) => boolean {
  return (event) => {
    const parsed = EventSchema.safeParse(event).data;
    if (parsed?.type !== "m.room.member" || parsed.state_key !== userId || parsed.content["membership"] !== "join") return false;
    const before = parsed.unsigned?.["prev_content"];
    return !(typeof before === "object" && before !== null && "membership" in before && before.membership === "join");
  };
}

function recordState(parts: PollingParts, { account_data: own, rooms }: SyncAnswer): void {
  if (own.events.length > 0) {
    parts.direct.invalidate();
    parts.book.invalidate();
  }
  for (const [
    roomId,
    {
      state,
      timeline: { events, limited },
    },
  ] of [...Object.entries(rooms.join), ...Object.entries(rooms.leave)]) {
    if (limited) parts.book.invalidate(roomId);
    for (const event of [...state.events, ...events]) recordEvent(parts, roomId, event);
  }
}

function recordEvent({ book }: PollingParts, roomId: string, event: unknown): void {
  const parsed = EventSchema.safeParse(event).data;
  if (parsed?.state_key !== undefined) book.record(roomId, parsed);
}

async function mapped<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    throw toChannelError(error);
  });
}
