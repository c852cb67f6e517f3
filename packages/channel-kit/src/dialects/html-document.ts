import type { Dialect, Frame } from "../render/dialect.ts";
import { escapeHtml } from "./html-escape.ts";

/** HTML for the body of a document, as in mail: paragraphs, lists and tables are elements. Images are links, so that opening it loads nothing. */
export function htmlDocument(): Dialect {
  return {
    tables: "native",
    rule: "<hr>",
    breaks: { line: "<br>\n", block: "\n", paragraph: "\n" },
    escape: escapeHtml,
    frame(span) {
      switch (span.type) {
        case "paragraph":
          return element("p", "block");
        case "heading":
          return element(`h${span.depth}`, "block");
        case "quote":
          return element("blockquote", "block");
        case "strong":
          return { ...element("strong", "style"), key: "strong" };
        case "emphasis":
          return { ...element("em", "style"), key: "emphasis" };
        case "strikethrough":
          return { ...element("del", "style"), key: "strikethrough" };
        case "code":
          return { ...element("code", "style"), content: "code" };
        case "code-block": {
          const name = span.language === undefined ? "" : ` class="language-${escapeHtml(span.language)}"`;
          return {
            type: "block",
            open: `<pre><code${name}>`,
            close: "</code></pre>",
            content: "code-block",
            isUnindented: true,
            eager: true,
          };
        }
        case "link":
        case "image":
          return { type: "style", open: `<a href="${escapeHtml(span.url)}">`, close: "</a>", key: "link" };
        case "list": {
          const start = span.start === undefined || span.start === 1 ? "" : ` start="${span.start}"`;
          return span.start === undefined ? element("ul", "block") : { type: "block", open: `<ol${start}>`, close: "</ol>" };
        }
        case "item": {
          const box = span.checked === undefined ? "" : span.checked ? "☑ " : "☐ ";
          return { type: "block", open: `<li>${box}`, close: "</li>", eager: true };
        }
        case "table":
          return element("table", "block");
        case "row":
          return { ...element("tr", "block"), eager: true };
        case "cell": {
          const name = span.head ? "th" : "td";
          const align = span.align === "none" ? "" : ` align="${span.align}"`;
          return { type: "block", open: `<${name}${align}>`, close: `</${name}>`, isCell: true, eager: true };
        }
      }
    },
  };
}

function element(name: string, type: Frame["type"]): Frame {
  return { type, open: `<${name}>`, close: `</${name}>` };
}
