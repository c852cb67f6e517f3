import type { CallOptions } from "@factotum/channel-contract";
import { createKeyedQueue } from "@factotum/channel-kit";
import * as z from "zod";
import { pathOf } from "../api/matrix-api.ts";
import type { MatrixApi } from "../api/matrix-api.ts";
import { isFinal } from "../errors.ts";

/** The bot's list of direct chats, as the homeserver keeps it for all clients of the account. Every call rejects with a PlatformFailure. */
export interface DirectRooms {
  has(roomId: string, options: CallOptions): Promise<boolean>;
  /** The rooms that are marked for a person, newest last. */
  roomsOf(userId: string, options: CallOptions): Promise<readonly string[]>;
  /** Marks a room as the direct chat with a person. */
  add(roomId: string, userId: string, options: CallOptions): Promise<void>;
  /** The list has changed: it is read again. */
  invalidate(): void;
}

type RoomsByUser = Readonly<Record<string, readonly string[]>>;

const ListSchema = z.record(z.string(), z.array(z.string()).catch([]));

/** Creates the access to the list of one user. */
export function createDirectRooms(api: MatrixApi, { userId: selfId }: { readonly userId: string }): DirectRooms {
  const request = { path: pathOf("user", selfId, "account_data", "m.direct") };
  const changes = createKeyedQueue();
  let cached: Promise<RoomsByUser> | undefined;
  const fetchList = async (options: CallOptions): Promise<RoomsByUser> => {
    const answer = await api.call("the list of direct chats", { method: "GET", ...request }, options).catch((error: unknown) => {
      if (isFinal(error)) return {};
      throw error;
    });
    return ListSchema.safeParse(answer).data ?? {};
  };
  const read = async (options: CallOptions): Promise<RoomsByUser> => {
    if (cached !== undefined) return cached;
    const reading = fetchList(options);
    cached = reading;
    reading.catch(() => {
      if (cached === reading) cached = undefined;
    });
    return reading;
  };
  return {
    async has(roomId, options) {
      return Object.values(await read(options)).some((rooms) => rooms.includes(roomId));
    },
    async roomsOf(userId, options) {
      return (await read(options))[userId] ?? [];
    },
    add: (roomId, userId, options) =>
      changes.run("", async () => {
        const list = await fetchList(options);
        if (list[userId]?.includes(roomId) === true) return;
        const body = { ...list, [userId]: [...(list[userId] ?? []), roomId] };
        await api.call("the list of direct chats", { method: "PUT", ...request, body }, options);
        cached = undefined;
      }),
    invalidate() {
      cached = undefined;
    },
  };
}
