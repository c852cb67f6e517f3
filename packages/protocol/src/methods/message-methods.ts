import * as z from "zod";
import { MessageTraceSchema, type MessageTrace } from "../shapes/message-trace.ts";
import { defineMethods, type MethodTable } from "./define-methods.ts";
import { key } from "./params.ts";

/** Methods of single messages. */
export interface MessageMethods {
  /**
   * Everything stored of one message: its event, its turn with requests and tool calls, and the sends of its answer with their receipts. By `entryId`, that of any
   * message of the conversation, or by `turn`, its number from 1 or its id; otherwise the newest turn. Rejects with `not-found` if there is no such turn, or
   * if the message belongs to another session than a named `sessionKey`. Without one, ids are of any session, and numbers of the default agent's main session.
   */
  "messages.trace": {
    params: { readonly sessionKey?: string; readonly entryId?: string; readonly turn?: number | string };
    result: MessageTrace;
  };
}

/** Rows of the message methods. */
export const MESSAGE_METHODS: MethodTable<MessageMethods> = defineMethods<MessageMethods>()({
  "messages.trace": {
    access: "owner",
    stores: false,
    params: () =>
      z.strictObject({
        sessionKey: key.optional(),
        entryId: z.string().max(200).optional(),
        turn: z.union([z.number().int().min(1), z.string().min(1).max(200)]).optional(),
      }),
    result: () => MessageTraceSchema,
  },
});
