import type { ImportedEntry } from "../port/session-store.ts";

/** The approximate overhead of a stored entry. */
const ENVELOPE_CHARS = 300;

/** Approximate stored size of an entry in characters, without rendering it. */
export function entryChars({ body }: Pick<ImportedEntry, "body">): number {
  switch (body.type) {
    case "message":
      return ENVELOPE_CHARS + messageChars(body.message);
    case "compaction":
      return ENVELOPE_CHARS + body.message.summary.length;
    case "replacement":
      return body.messages.reduce((sum, { message }) => sum + ENVELOPE_CHARS + messageChars(message), ENVELOPE_CHARS);
    case "branch":
      return ENVELOPE_CHARS;
    case "ui-message":
    case "notice":
      return ENVELOPE_CHARS + body.text.length;
  }
}

function messageChars(message: Extract<ImportedEntry["body"], { type: "message" }>["message"]): number {
  let chars = message.role === "toolResult" && message.details !== undefined ? JSON.stringify(message.details).length : 0;
  if (message.role === "user") chars += message.parts?.body.length ?? 0;
  for (const block of message.content) {
    if (block.type === "text" || block.type === "thinking") chars += block.text.length;
    else chars += block.type === "image" ? block.data.length : JSON.stringify(block.arguments).length;
  }
  return chars;
}
