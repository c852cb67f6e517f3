import { cutText } from "@factotum/agent-core";
import type { KeyedNotice } from "@factotum/store";

/** Maximum UTF-16 units of an answer in the record of another session. */
const MAX_TEXT_CHARS = 4000;

/** A text that was sent: for the model, and for people. */
export type SentText = Pick<KeyedNotice, "text" | "blocks">;

/** What is recorded of a text that was sent into a conversation: for the model in quotes, which the text cannot end, and for people as it is. */
export function sentText(source: string, sent: string): SentText {
  const text = cutText(sent, MAX_TEXT_CHARS, "…");
  return {
    text: `${source} ${JSON.stringify(text)}`,
    blocks: [
      { type: "text", text: source },
      { type: "quote", text },
    ],
  };
}

/** The same of a scheduled job. */
export function jobText(name: string, sent: string): SentText {
  return sentText(`The scheduled job ${JSON.stringify(name)} sent this here:`, sent);
}
