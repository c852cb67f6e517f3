import { messageId } from "@factotum/channel-contract";
import type { ForwardedMessage, MsgContext, QuotedMessage } from "@factotum/channel-contract";
import { parseOwnId } from "../message-id.ts";
import { renderReplyContext } from "../reply-context.ts";
import { isForward } from "../subject.ts";
import type { MailHeaders } from "./mail-headers.ts";
import type { MailBody } from "./read-body.ts";
import { splitReply } from "./split-reply.ts";
import type { SplitText } from "./split-reply.ts";

/** A mail whose sender is proved. */
export interface ParsedMail {
  readonly headers: MailHeaders;
  readonly body: MailBody;
  /** The sender's address. */
  readonly person: string;
  /** Message-ID of the first mail of its thread. */
  readonly root: string;
  /** True if others can write under this address, since every From is believed. */
  readonly isUnverified: boolean;
  /** When the server got it, milliseconds since the epoch; 0 if unknown. */
  readonly receivedAtMs: number;
}

/** Converts a mail. Whoever else got it is not part of the conversation: answers go to the sender alone. */
export function parseMessage(
  { headers, body, person, root, isUnverified, receivedAtMs }: ParsedMail,
  { accountId, address }: { readonly accountId: string; readonly address: string },
): MsgContext {
  const { subject, inReplyTo, references } = headers;
  const isReply = inReplyTo !== undefined || references.length > 0;
  const split = splitReply(body.text, { isReply, isForward: isForward(subject) });
  const replyTo = quoteOf(split, inReplyTo, address);
  return {
    origin: { channel: "email", accountId, conversation: { kind: "direct", id: person, threadId: root } },
    eventId: headers.messageId,
    messageId: messageId(headers.messageId),
    timestampMs: receivedAtMs || headers.sentAtMs,
    event: { type: "message" },
    sender: {
      id: person,
      isBot: false,
      ...(headers.from?.name !== undefined && { name: headers.from.name }),
      ...(isUnverified && { isUnverified }),
    },
    text: textOf(split, { subject, isReply }),
    mentionsBot: false,
    ...(replyTo !== undefined && { replyTo }),
    ...(split.forwarded !== undefined && { forwarded: forwardedOf(split.forwarded) }),
    attachments: body.attachments,
    replyContext: { data: renderReplyContext({ messageId: headers.messageId, references: referencesOf(headers), subject }) },
  };
}

/** In the first mail of a thread the subject is a part of what the person says; a command stays one. */
function textOf({ own }: SplitText, { subject, isReply }: { readonly subject: string; readonly isReply: boolean }): string {
  if (own === "") return subject;
  return isReply || subject === "" || own.startsWith("/") ? own : `Subject: ${subject}\n\n${own}`;
}

function quoteOf({ quoted = "" }: SplitText, inReplyTo: string | undefined, address: string): QuotedMessage | undefined {
  if (inReplyTo === undefined && quoted === "") return undefined;
  const isSelf = inReplyTo !== undefined && parseOwnId(inReplyTo, address) !== undefined;
  return {
    ...(inReplyTo !== undefined && { messageId: messageId(inReplyTo) }),
    ...(isSelf && { sender: { isSelf } }),
    body: quoted,
    isQuote: false,
  };
}

function forwardedOf(body: string): ForwardedMessage {
  const from = /^\*?(?:From|Von|De|Da|Van):\*? (.+)$/im.exec(body)?.[1]?.slice(0, 200);
  const title = /^\*?(?:Subject|Betreff|Objet|Asunto|Oggetto|Onderwerp):\*? (.+)$/im.exec(body)?.[1]?.slice(0, 200);
  return { ...(from !== undefined && { from }), ...(title !== undefined && { title }), body };
}

function referencesOf({ references, inReplyTo }: MailHeaders): readonly string[] {
  if (references.length > 0) return references;
  return inReplyTo === undefined ? [] : [inReplyTo];
}
