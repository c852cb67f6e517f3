import { SHOWN_LINE_FEEDS, ZERO_WIDTH_SPACE } from "../render/dialect.ts";
import type { Dialect, Frame, Place } from "../render/dialect.ts";
import type { Piece } from "../markdown/piece.ts";
import { fitStyles } from "./fit-styles.ts";
import { listItem } from "./list-item.ts";
import { plainFrame } from "./plain-text.ts";

/** How a platform's variant differs. */
export interface AsteriskMarkupOptions {
  /**
   * `angle`: links are `<address|text>`, and `&`, `<`, `>` are written as entities. `text`: the address stands behind its text, and nothing is an entity.
   */
  readonly links: "angle" | "text";
  /** Matches the beginning of each text that would notify people; it is broken up. Needs the flag `g`. */
  readonly mentions?: RegExp;
}

const BOLD = delimited("*", "strong");
const STYLES: ReadonlySet<string> = new Set(["strong", "emphasis", "strikethrough", "heading", "code"]);
/** A delimiter is shown as text next to these. */
const EDGE = /[\s*_~`\u200b]/;
const WORD = /[\p{L}\p{N}_]/u;

/**
 * The markup of chat platforms with one asterisk for bold: `*bold*`, `_italic_`, `~struck~`, backticks, `> quote`. Styles end with their line and begin and end
 * at words. There is no escape character: where a delimiter that is meant literally could work, a zero-width space takes its place at a word. A style that begins or ends
 * with one is left out.
 */
export function asteriskMarkup({ links, mentions }: AsteriskMarkupOptions): Dialect {
  const hasEntities = links === "angle";
  return {
    tables: "code",
    rule: "———",
    breaks: SHOWN_LINE_FEEDS,
    stylesEndWithLine: true,
    ...(mentions !== undefined && { mentions }),
    adapt: (pieces) => fitStyles(pieces, { isStyle, edge: EDGE }),
    escape: (text, place) => (hasEntities ? escapeEntities(separate(text, place)) : separate(text, place)),
    join: ({ outer, isClosed, delimiter }) => ({ outside: WORD.test(outer) || (isClosed && outer === delimiter) }),
    frame(span) {
      switch (span.type) {
        case "strong":
        case "heading":
          return BOLD;
        case "emphasis":
          return delimited("_", "emphasis");
        case "strikethrough":
          return delimited("~", "strikethrough");
        case "code":
          return { ...delimited("`", "code"), content: "code" };
        case "code-block":
          return { type: "block", open: "```\n", close: "\n```", content: "code-block", isUnindented: true, eager: true };
        case "link":
        case "image":
          return hasEntities ? angleLink(span) : plainFrame(span);
        case "quote":
          return { type: "block", open: "> ", close: "", prefix: "> ", key: "quote", visible: true };
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

function angleLink(span: { readonly type: "link" | "image"; readonly url: string }): Frame {
  const address = escapeEntities(span.url.replaceAll(/[\s|<>]/g, encodeURIComponent));
  return { type: "style", open: `<${address}|`, close: ">", content: "label", key: "link" };
}

function isStyle(piece: Piece): boolean {
  return piece.type === "enter" && STYLES.has(piece.span.type);
}

function delimited(delimiter: string, key: string): Frame {
  return { type: "style", open: delimiter, close: delimiter, key };
}

function escapeEntities(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

/** Puts a zero-width space where a literal delimiter could open or close a style, or begin a quote. */
function separate(text: string, { content, lineStart, before, after }: Place): string {
  if (content === "address") return text;
  if (content === "code-block") return text.replaceAll("```", `\`\`${ZERO_WIDTH_SPACE}\``);
  if (content === "code") return text.replaceAll("`", `${ZERO_WIDTH_SPACE}\`${ZERO_WIDTH_SPACE}`);
  let separated = lineStart && text.startsWith(">") ? ZERO_WIDTH_SPACE : "";
  const characters = Array.from(text);
  for (const [index, character] of characters.entries()) {
    const previous = separated === "" ? before : lastOf(separated);
    const next = characters[index + 1] ?? after.charAt(0);
    separated += /[*_~`]/.test(character) ? separateDelimiter(character, lineStart && separated === "" ? " " : previous, next) : character;
  }
  return separated;
}

function separateDelimiter(delimiter: string, previous: string, next: string): string {
  const isInside = !/\s/.test(previous);
  const isFollowed = /^\S/.test(next);
  const canWork = delimiter === "`" || (isInside && !/^[\p{L}\p{N}]/u.test(next)) || (!WORD.test(previous) && isFollowed);
  return canWork ? `${isInside ? ZERO_WIDTH_SPACE : ""}${delimiter}${isFollowed ? ZERO_WIDTH_SPACE : ""}` : delimiter;
}

function lastOf(text: string): string {
  return Array.from(text.slice(-2)).at(-1) ?? "";
}
