import type { CellAlign, Span } from "../markdown/piece.ts";
import { SHOWN_LINE_FEEDS, ZERO_WIDTH_SPACE } from "../render/dialect.ts";
import type { Dialect, Frame, Joint, Junction, Place } from "../render/dialect.ts";
import { escapeMarkdown } from "./escape-markdown.ts";

/** How a platform's variant of Markdown differs from the contract's. All of the contract's by default. */
export interface MarkdownMarkupOptions {
  /** Number of heading levels; deeper ones are written at the last, and with 0 headings are bold. 6 by default. */
  readonly headings?: number;
  readonly tables?: "native" | "code";
  /** `link` where messages cannot show an image by its address. */
  readonly images?: "native" | "link";
  /** `three` where every fence has three backticks; those in the code are broken up. `longer` by default. */
  readonly fences?: "longer" | "three";
  /** How an address that stands for itself is written: as it is (by default), or in angle brackets. */
  readonly addresses?: "raw" | "angle";
  readonly rule?: string;
  /** Matches the beginning of each text that would notify people; it is broken up. Needs the flag `g`. */
  readonly mentions?: RegExp;
}

const MARKERS: Readonly<Record<CellAlign, string>> = { left: ":--", center: ":-:", right: "--:", none: "---" };
const ENCODED: Readonly<Record<string, string>> = { "(": "%28", ")": "%29" };
const STRONG = delimited("**", "strong");

/** Markdown as platforms take it. Without options it is the contract's: parsing the output gives the same text and spans. */
export function markdownMarkup(options: MarkdownMarkupOptions = {}): Dialect {
  const { tables = "native", rule = "***", mentions, fences = "longer" } = options;
  return {
    tables,
    rule,
    breaks: SHOWN_LINE_FEEDS,
    ...(mentions !== undefined && { mentions }),
    frame: (span) => frameOf(span, options),
    escape: (text, place) => escapeFor(text, place, fences),
    // A paragraph that begins with four spaces would be code.
    indent: (space, { paragraphStart }) => (paragraphStart && /^ {0,3}\t|^ {4}/.test(space) ? `\u00a0${space.slice(1)}` : space),
    join,
  };
}

function frameOf(span: Span, options: MarkdownMarkupOptions): Frame | undefined {
  switch (span.type) {
    case "strong":
      return STRONG;
    case "emphasis":
      return delimited("*", "emphasis");
    case "strikethrough":
      return delimited("~~", "strikethrough");
    case "heading": {
      const { headings = 6 } = options;
      return headings === 0 ? STRONG : { type: "block", open: `${"#".repeat(Math.min(span.depth, headings))} `, close: "" };
    }
    case "code": {
      const ticks = "`".repeat(span.backticks + 1);
      const space = span.padded ? " " : "";
      return { type: "style", open: ticks + space, close: space + ticks, content: "code", key: "code" };
    }
    case "code-block": {
      const fence = "`".repeat(options.fences === "three" ? 3 : Math.max(3, span.backticks + 1));
      return { type: "block", open: `${fence}${span.language ?? ""}\n`, close: `\n${fence}`, content: "code-block", eager: true };
    }
    case "link":
      if (span.bare === undefined) return link("[", span.url);
      return span.bare === "full" && options.addresses === "angle"
        ? { type: "style", open: "<", close: ">", content: "address" }
        : { type: "style", open: "", close: "", content: "address" };
    case "image":
      return options.images === "link" ? link("[", span.url) : { ...link("![", span.url), key: "image" };
    case "quote":
      return { type: "block", open: "> ", close: "", prefix: "> " };
    case "item": {
      const marker = span.number === undefined ? "- " : `${span.number}. `;
      const box = span.checked === undefined ? "" : span.checked ? "[x] " : "[ ] ";
      const prefix = " ".repeat(marker.length);
      // Without its marker in the same message an indent of four spaces would be code.
      return { type: "block", open: marker + box, close: "", prefix, continued: { open: "", prefix: "" }, eager: true, visible: true };
    }
    case "row": {
      const rule = span.head === undefined ? "" : `\n|${span.head.map((align) => ` ${MARKERS[align]} |`).join("")}`;
      return { type: "block", open: "|", close: rule, eager: true };
    }
    case "cell":
      return { type: "block", open: " ", close: " |", isCell: true, eager: true };
    case "paragraph":
    case "list":
    case "table":
      return undefined;
  }
}

function delimited(delimiter: string, key: string): Frame {
  return { type: "style", open: delimiter, close: delimiter, key };
}

function link(open: string, url: string): Frame {
  const address = url.replaceAll(/[\s<>()\\`|]/g, (character) => ENCODED[character] ?? encodeURIComponent(character));
  return { type: "style", open, close: `](${address})`, content: "label", key: "link" };
}

function escapeFor(text: string, place: Place, fences: "longer" | "three"): string {
  switch (place.content) {
    case "code":
    case "address":
      return place.inCell ? text.replaceAll("|", "\\|") : text;
    case "code-block":
      return fences === "three" ? text.replaceAll("```", `\`\`${ZERO_WIDTH_SPACE}\``) : text;
    case "text":
    case "label":
      return escapeMarkdown(text, place);
  }
}

/**
 * A delimiter next to punctuation works only at the edge of a word, and two of one kind work as one. A zero-width space is neither white space nor punctuation.
 */
function join({ delimiter, inner, outer, isClosed }: Junction): Joint {
  if (!/^[*~`]/.test(delimiter)) return {};
  const isSeparated = isClosed && outer.trim().charAt(0) === delimiter.charAt(0);
  const isAtEdge = !isSeparated && (outer === "" || /^[\s\p{P}\p{S}]/u.test(outer));
  const isPunctuation = !delimiter.startsWith("`") && /^[\p{P}\p{S}]/u.test(inner);
  return { inside: isPunctuation && !isAtEdge, outside: isSeparated };
}
