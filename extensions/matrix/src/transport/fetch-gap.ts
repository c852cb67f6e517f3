import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { pathOf } from "../api/matrix-api.ts";
import type { MatrixApi } from "../api/matrix-api.ts";
import { isFinal, isTooLarge } from "../errors.ts";
import { TIMELINE_FILTER } from "./sync-filter.ts";
import { MessagesSchema } from "./sync-schema.ts";

/** The events that a sync has left out of a room. */
export interface Gap {
  readonly roomId: string;
  /** The position in front of the first event that the sync has. */
  readonly from: string;
  /** The position of the last sync. */
  readonly to: string;
}

/** Events of one request. */
const PAGE = 100;
/** If they are too large: so many of the largest fit. */
const SMALL_PAGE = 10;
/** Events of one gap; what is older is given up, and the log says so. */
const MAX_EVENTS = 1_000;

/** Fetches the events of a gap, oldest first, until `isStart` is true for one. What the homeserver refuses is not there. Rejects with a PlatformFailure. */
export async function fetchGap(
  { api, host }: { readonly api: MatrixApi; readonly host: Pick<ChannelHost, "logger"> },
  { roomId, from, to }: Gap,
  { isStart, signal }: CallOptions & { readonly isStart: (event: unknown) => boolean },
): Promise<{ readonly events: readonly unknown[]; readonly state: readonly unknown[] }> {
  const events: unknown[] = [];
  const state: unknown[] = [];
  const path = pathOf("rooms", roomId, "messages");
  let at = from;
  const ask = async (limit: number): Promise<unknown> => {
    const query = { dir: "b", from: at, to, limit: String(limit), filter: TIMELINE_FILTER };
    return api.call("earlier messages", { method: "GET", path, query }, { signal });
  };
  while (events.length < MAX_EVENTS) {
    const answer = await ask(PAGE)
      .catch(async (error: unknown) => {
        if (!isTooLarge(error)) throw error;
        return ask(SMALL_PAGE);
      })
      .catch((error: unknown) => {
        if (isFinal(error)) return {};
        throw error;
      });
    const { chunk, state: members, end } = MessagesSchema.parse(answer);
    state.push(...members);
    for (const event of chunk) {
      events.push(event);
      if (isStart(event)) return { events: events.toReversed(), state };
    }
    // The position repeats itself at the end.
    if (end === undefined || end === at || chunk.length === 0) return { events: events.toReversed(), state };
    at = end;
  }
  host.logger.warn("messages lost: more were written since the last connection than are fetched", { room: roomId, fetched: events.length });
  return { events: events.toReversed(), state };
}
