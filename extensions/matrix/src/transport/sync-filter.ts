import { POLL_RESPONSE, POLL_START } from "../inbound/event-schema.ts";

/** Nothing of a kind of data. */
const NOTHING = { not_types: ["*"] };

/** Events of timelines that the channel reads. */
const TIMELINE = [
  "m.room.message",
  "m.sticker",
  "m.reaction",
  "m.room.redaction",
  "m.room.member",
  "m.room.encrypted",
  "m.room.encryption",
  "m.room.tombstone",
  "m.room.name",
  "m.room.topic",
  "m.room.canonical_alias",
  ...POLL_START,
  ...POLL_RESPONSE,
];
const STATE = ["m.room.member", "m.room.name", "m.room.topic", "m.room.canonical_alias", "m.room.encryption"];
/** Events of a room, as many as fit: the homeserver is asked for fewer if its answer is too large. */
export const SYNC_LIMITS: readonly number[] = [50, 10, 1];

/** What is asked of a timeline; with its members, whose names the messages need. */
export const TIMELINE_FILTER: string = JSON.stringify({ types: TIMELINE, lazy_load_members: true });

/** The filter of a sync with so many events of a room; the others are a gap. */
export function syncFilter(limit: number): string {
  return JSON.stringify({
    presence: NOTHING,
    account_data: { types: ["m.direct"] },
    room: {
      timeline: { limit, types: TIMELINE, lazy_load_members: true },
      state: { types: STATE, lazy_load_members: true },
      ephemeral: NOTHING,
      account_data: NOTHING,
    },
  });
}

/** The filter of the first sync, which gives the position and the invitations that wait: what was said before is not answered. */
export const FIRST_FILTER: string = JSON.stringify({
  presence: NOTHING,
  account_data: NOTHING,
  room: { timeline: { limit: 1, ...NOTHING }, state: NOTHING, ephemeral: NOTHING, account_data: NOTHING },
});
