import { createHash } from "node:crypto";
import type { Outbound } from "@factotum/channel-contract";
import { SAMPLE_CHAT_CAPABILITIES } from "../capabilities.ts";

/** The body of a send request. */
export interface MessageBody {
  readonly text: string;
  readonly reply_to?: string;
}

/** Turns a text into the platform's form. */
export function renderText({ text, replyTo }: Extract<Outbound, { type: "text" }>): MessageBody {
  return { text, ...(replyTo !== undefined && { reply_to: replyTo }) };
}

/** The platform's key for a logical send: the gateway's own if it is short enough, otherwise its hash. */
export function renderKey(idempotencyKey: string): string {
  const maxLength = SAMPLE_CHAT_CAPABILITIES.idempotentSend?.maxKeyLength ?? 0;
  return idempotencyKey.length <= maxLength
    ? idempotencyKey
    : createHash("sha256").update(idempotencyKey).digest("hex").slice(0, maxLength);
}
