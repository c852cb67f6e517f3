import type { Origin } from "@factotum/channel-contract";
import { isEventId } from "../conversation-id.ts";
import type { RenderedText } from "./render-text.ts";

/** The content of an event. */
export type Content = Readonly<Record<string, unknown>>;

/** With both forms of a text the platform's other fields still fit into 65,536 bytes. */
const MAX_CONTENT_BYTES = 60_000;
const MAX_FALLBACK_LENGTH = 500;

/** The content of a text. */
export function textContent({ body, html, userIds }: RenderedText): Content {
  const plain = { msgtype: "m.text", body, "m.mentions": userIds.length === 0 ? {} : { user_ids: userIds } };
  const formatted = html === undefined ? plain : { ...plain, format: "org.matrix.custom.html", formatted_body: html };
  return fits(formatted) ? formatted : plain;
}

/** The content that replaces the text of a message. What stands outside of the new content is for clients that know no edits. */
export function editContent(targetId: string, content: Content): Content {
  const { body } = content as { readonly body: string };
  const fallback = body.length > MAX_FALLBACK_LENGTH ? `${body.slice(0, MAX_FALLBACK_LENGTH).toWellFormed()}…` : body;
  return {
    msgtype: "m.text",
    body: `* ${fallback}`,
    // People were notified of the first text.
    "m.mentions": {},
    "m.new_content": content,
    "m.relates_to": { rel_type: "m.replace", event_id: targetId },
  };
}

/** Where a message stands: in a thread, as an answer. */
export function relationTo({ conversation: { threadId } }: Origin, replyTo?: string): Content {
  const answered = replyTo !== undefined && isEventId(replyTo) ? replyTo : undefined;
  if (threadId !== undefined) {
    return {
      "m.relates_to": {
        rel_type: "m.thread",
        event_id: threadId,
        is_falling_back: answered === undefined,
        "m.in_reply_to": { event_id: answered ?? threadId },
      },
    };
  }
  return answered === undefined ? {} : { "m.relates_to": { "m.in_reply_to": { event_id: answered } } };
}

function fits(content: Content): boolean {
  return Buffer.byteLength(JSON.stringify(content)) <= MAX_CONTENT_BYTES;
}
