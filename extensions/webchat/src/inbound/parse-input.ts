import { messageId, type MsgContext } from "@factotum/channel-contract";
import type { WebchatInput } from "@factotum/protocol";

/** Every holder of the gateway's token is the owner, so there is one sender. */
const SENDER_ID = "owner";

/**
 * Converts typed input into the gateway's form. The client's message id is the event id, so a resend is the same event. The conversation is the session key, as
 * `capabilities.addressing` says.
 */
export function parseInput(input: WebchatInput, facts: { readonly accountId: string; readonly nowMs: number }): MsgContext {
  return {
    origin: { channel: "webchat", accountId: facts.accountId, conversation: { kind: "direct", id: input.sessionKey } },
    eventId: input.idempotencyKey,
    messageId: messageId(input.idempotencyKey),
    timestampMs: input.receivedAtMs ?? facts.nowMs,
    event: { type: "message" },
    sender: { id: SENDER_ID, isBot: false },
    text: input.text,
    mentionsBot: false,
    attachments: (input.attachments ?? []).map(({ ref, kind = "image", fileName }) => ({
      kind,
      ref,
      ...(fileName !== undefined && { fileName }),
    })),
  };
}
