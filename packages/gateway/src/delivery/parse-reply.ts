import { ReplyParser } from "./reply-parser.ts";
import type { ReplyTarget } from "./reply-parser.ts";

/** What an assistant's final text asks for, typed (R5). */
export type ParsedReply =
  /** The whole text was the silent token, and no file goes with it: nothing is shown. */
  | { readonly type: "silent" }
  | {
      readonly type: "visible";
      readonly text: string;
      readonly replyTo: ReplyTarget;
      /** What its `MEDIA:` lines name, in their order. */
      readonly media: readonly string[];
    };

/** Parses the text that a run ended with, as `ReplyParser` does while it is written. */
export function parseReply(text: string): ParsedReply {
  const parser = new ReplyParser();
  const begun = parser.push(text);
  const { text: rest, isSilent } = parser.end();
  if (isSilent && parser.media.length === 0) return { type: "silent" };
  return { type: "visible", text: begun + rest, replyTo: parser.replyTo, media: parser.media };
}
