import type { Span } from "../markdown/piece.ts";
import { SHOWN_LINE_FEEDS } from "../render/dialect.ts";
import type { Dialect, Frame } from "../render/dialect.ts";
import { listItem } from "./list-item.ts";

/** What a dialect of plain text may be told. */
export interface PlainTextOptions {
  /** Matches the beginning of each text that would notify people; it is broken up. Needs the flag `g`. */
  readonly mentions?: RegExp;
}

/** Text without styles: lists and quotes by their marks, addresses in brackets behind their text, tables with aligned columns. */
export function plainText({ mentions }: PlainTextOptions = {}): Dialect {
  return {
    tables: "code",
    rule: "----------",
    breaks: SHOWN_LINE_FEEDS,
    frame: plainFrame,
    escape: (text) => text,
    ...(mentions !== undefined && { mentions }),
  };
}

/** The frame of a span in a dialect that has no markup for it. */
export function plainFrame(span: Span): Frame | undefined {
  switch (span.type) {
    case "item":
      return listItem(span, { bullet: "-" });
    case "quote":
      return { type: "block", open: "> ", close: "", prefix: "> ", visible: true };
    case "code":
      return { type: "style", open: "", close: "", content: "code" };
    case "code-block":
      return { type: "block", open: "", close: "", content: "code-block", isUnindented: true };
    case "link":
      return span.bare !== undefined
        ? { type: "style", open: "", close: "", content: "address" }
        : { type: "style", open: "", close: "", after: ` (${span.url})`, key: "link" };
    case "image":
      return { type: "style", open: "", close: "", after: ` (${span.url})`, key: "link" };
    case "paragraph":
    case "heading":
    case "strong":
    case "emphasis":
    case "strikethrough":
    case "list":
    case "table":
    case "row":
    case "cell":
      return undefined;
  }
}
