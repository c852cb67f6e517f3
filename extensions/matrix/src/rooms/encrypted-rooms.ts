import type { CallOptions, ChannelHost } from "@factotum/channel-contract";
import { pathOf } from "../api/matrix-api.ts";
import type { MatrixApi } from "../api/matrix-api.ts";
import { isFinal, toChannelError } from "../errors.ts";

/** The answer to encrypted rooms: one line in each, remembered over restarts. */
export interface EncryptedRooms {
  /** Sends the line unless the room has had it. One that cannot be sent now waits for the room's next event: it delays no other room. */
  answer(roomId: string, options: CallOptions): Promise<void>;
}

const LINE =
  "This room is encrypted, and I cannot read encrypted messages: encryption is not supported here. Please write to me in a room without encryption.";

/** Creates the answers of one account. */
export function createEncryptedRooms(api: MatrixApi, { state, logger }: Pick<ChannelHost, "state" | "logger">): EncryptedRooms {
  return {
    async answer(roomId, options) {
      const key = `encrypted/${roomId}`;
      if ((await state.get(key)) !== undefined) return;
      // The transaction is the same after a restart, so that a line whose row was not stored is not sent twice.
      const path = pathOf("rooms", roomId, "send", "m.room.message", "factotum-encrypted");
      const body = { msgtype: "m.notice", body: LINE, "m.mentions": {} };
      try {
        await api.call("the line about encryption", { method: "PUT", path, body }, options);
      } catch (error) {
        options.signal.throwIfAborted();
        // A final refusal: the bot may read and not write there.
        if (!isFinal(error)) {
          logger.info("matrix line about encryption not sent", { room: roomId, error: toChannelError(error).message });
          return;
        }
      }
      await state.set(key, { type: "json", json: true });
      logger.info("matrix room is encrypted, which is not supported", { room: roomId });
    },
  };
}
