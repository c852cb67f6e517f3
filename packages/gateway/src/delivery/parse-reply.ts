import { ReplyParser } from "./reply-parser.ts";
import type { ReplyTarget } from "./reply-parser.ts";

/** The parsed final text of an assistant (R5). */
export type ParsedReply =
  /** The whole text was the silent token, without a file: nothing is shown. */
  | { readonly type: "silent" }
  | {
      readonly type: "visible";
      readonly text: string;
      readonly replyTo: ReplyTarget;
      /** Paths and URLs of its `MEDIA:` lines, in order. */
      readonly media: readonly string[];
      /** Set if the model wants it spoken. */
      readonly isSpoken?: true;
    };

/** Parses the final text of a run, with the same result as `ReplyParser` on the stream. */
export function parseReply(text: string): ParsedReply {
  const parser = new ReplyParser();
  const begun = parser.push(text);
  const { text: rest, isSilent } = parser.end();
  if (isSilent && parser.media.length === 0) return { type: "silent" };
  return {
    type: "visible",
    text: begun + rest,
    replyTo: parser.replyTo,
    media: parser.media,
    ...(parser.isSpoken ? { isSpoken: true } : {}),
  };
}
