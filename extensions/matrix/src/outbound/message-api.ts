import { messageId } from "@factotum/channel-contract";
import type { CallOptions, MessageId } from "@factotum/channel-contract";
import { fitKey, PlatformFailure } from "@factotum/channel-kit";
import * as z from "zod";
import { pathOf } from "../api/matrix-api.ts";
import type { MatrixApi } from "../api/matrix-api.ts";
import { MAX_KEY_LENGTH } from "../capabilities.ts";
import type { KnownEvents } from "../context/known-events.ts";
import type { Content } from "./message-content.ts";

/** Sends events. */
export interface MessageApi {
  /** Sends an event and resolves with its id. The homeserver sends it once for each transaction. Rejects with a PlatformFailure. */
  send(
    event: { readonly roomId: string; readonly type: string; readonly content: Content; readonly transaction: string },
    options: CallOptions,
  ): Promise<MessageId>;
  /** Removes what an event says. */
  redact(target: { readonly roomId: string; readonly eventId: string; readonly transaction: string }, options: CallOptions): Promise<void>;
}

const SentSchema = z.looseObject({ event_id: z.string().startsWith("$") });

/** Creates the sends of one account. */
export function createMessageApi({
  api,
  known,
  userId,
}: {
  readonly api: MatrixApi;
  readonly known: KnownEvents;
  readonly userId: string;
}): MessageApi {
  return {
    async send({ roomId, type, content, transaction }, options) {
      const path = pathOf("rooms", roomId, "send", type, transaction);
      const sent = SentSchema.safeParse(await api.call("the message", { method: "PUT", path, body: content }, options));
      if (!sent.success) throw new PlatformFailure({ type: "no-answer" }, "the answer names no message");
      const { event_id: id } = sent.data;
      known.record(roomId, { event_id: id, type, sender: userId, content });
      return messageId(id);
    },
    async redact({ roomId, eventId, transaction }, options) {
      const path = pathOf("rooms", roomId, "redact", eventId, transaction);
      await api.call("the removal", { method: "PUT", path, body: {} }, options);
    },
  };
}

/** The transaction of a send; `part` tells the events of one send apart. */
export function transactionOf(idempotencyKey: string, part: number | string = 0): string {
  const key = fitKey(idempotencyKey, MAX_KEY_LENGTH);
  return part === 0 ? key : `${key}.${part}`;
}
