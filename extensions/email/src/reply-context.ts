import { MAX_REPLY_CONTEXT_BYTES } from "@factotum/channel-contract";
import { parseOwn } from "@factotum/channel-kit";
import * as z from "zod";
import { isMessageId } from "./message-id.ts";

/** What an answer needs of the mail that it answers. */
export interface MailReplyContext {
  readonly messageId: string;
  /** The mails before it in its thread, oldest first. */
  readonly references: readonly string[];
  readonly subject: string;
}

const ContextSchema = z.strictObject({
  messageId: z.string().refine(isMessageId),
  references: z.array(z.string().refine(isMessageId)),
  subject: z.string(),
});

/** Writes a context within its limit: of a long thread the first mail and the newest ones are kept. */
export function renderReplyContext({ messageId, references, subject }: MailReplyContext): string {
  const [root, ...rest] = references;
  for (let kept = rest; ; kept = kept.slice(Math.ceil(kept.length / 4))) {
    const data = JSON.stringify({ messageId, references: root === undefined ? [] : [root, ...kept], subject });
    if (Buffer.byteLength(data) <= MAX_REPLY_CONTEXT_BYTES || kept.length === 0) return data;
  }
}

/** Reads a context; `undefined` for none, and for one that is not of this channel. */
export function parseReplyContext(data: string | undefined): MailReplyContext | undefined {
  return parseOwn(data, ContextSchema);
}
