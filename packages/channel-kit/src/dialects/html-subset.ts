import { SHOWN_LINE_FEEDS } from "../render/dialect.ts";
import type { Dialect, Frame } from "../render/dialect.ts";
import { escapeHtml } from "./html-escape.ts";
import { listItem } from "./list-item.ts";

const BOLD = tag("b", "strong");

/**
 * The tags that chat platforms take of HTML (`b`, `i`, `s`, `code`, `pre`, `a`, `blockquote`): line feeds are shown, lists are text, tables are code. Limits
 * count the text without tags. Code has no other style, and quotes are not nested.
 */
export function htmlSubset(): Dialect {
  return {
    tables: "code",
    rule: "———",
    breaks: SHOWN_LINE_FEEDS,
    counts: "text",
    escape: escapeHtml,
    frame(span) {
      switch (span.type) {
        case "strong":
        case "heading":
          return BOLD;
        case "emphasis":
          return tag("i", "emphasis");
        case "strikethrough":
          return tag("s", "strikethrough");
        case "code":
          return { ...tag("code", "code"), content: "code", exclusive: true };
        case "code-block": {
          const [open, close] =
            span.language === undefined
              ? ["<pre>", "</pre>"]
              : [`<pre><code class="language-${escapeHtml(span.language)}">`, "</code></pre>"];
          return { type: "block", open, close, content: "code-block", isUnindented: true, eager: true };
        }
        case "link":
        case "image":
          return { type: "style", open: `<a href="${escapeHtml(span.url)}">`, close: "</a>", key: "link" };
        case "quote":
          return { type: "block", open: "<blockquote>", close: "</blockquote>", key: "quote" };
        case "item":
          return listItem(span);
        case "paragraph":
        case "list":
        case "table":
        case "row":
        case "cell":
          return undefined;
      }
    },
  };
}

function tag(name: string, key: string): Frame {
  return { type: "style", open: `<${name}>`, close: `</${name}>`, key };
}
