import type { Outbound } from "@factotum/channel-contract";
import { fitKey } from "@factotum/channel-kit";
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
  return fitKey(idempotencyKey, SAMPLE_CHAT_CAPABILITIES.idempotentSend?.maxKeyLength ?? 0);
}
