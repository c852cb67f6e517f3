import type { MessageId, Outbound } from "@factotum/channel-contract";

/** A text to send. */
export const text = (words: string, more: { readonly replyTo?: MessageId } = {}): Outbound => ({ type: "text", text: words, ...more });
