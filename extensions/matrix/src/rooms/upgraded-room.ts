import type { CallOptions } from "@factotum/channel-contract";
import { pathOf } from "../api/matrix-api.ts";
import type { MatrixApi } from "../api/matrix-api.ts";
import { isRoomId } from "../conversation-id.ts";
import { isFinal } from "../errors.ts";
import { readState } from "./room-book.ts";

/**
 * Joins the room that replaces another one, and resolves with its id; `undefined` if it cannot be joined, or does not name the old room as its predecessor: then
 * it is any room, which must not get the rights of the old one. Rejects with a PlatformFailure if the homeserver does not answer.
 */
export async function movedTo(
  api: MatrixApi,
  { roomId, replacement, by }: { readonly roomId: string; readonly replacement: string; readonly by: string },
  options: CallOptions,
): Promise<string | undefined> {
  if (!isRoomId(replacement) || replacement === roomId) return undefined;
  const server = by.slice(by.indexOf(":") + 1);
  const request = { method: "POST", path: pathOf("join", replacement), query: { server_name: server, via: server }, body: {} } as const;
  const isJoined = await api.call("the room that replaces another", request, options).then(
    () => true,
    (error: unknown) => {
      if (isFinal(error)) return false;
      throw error;
    },
  );
  if (!isJoined) return undefined;
  const created = await readState(api, replacement, ["m.room.create"], options);
  const predecessor = created?.["predecessor"];
  const isSuccessor = typeof predecessor === "object" && predecessor !== null && "room_id" in predecessor && predecessor.room_id === roomId;
  return isSuccessor ? replacement : undefined;
}
