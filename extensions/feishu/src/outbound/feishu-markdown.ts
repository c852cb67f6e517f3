import { Marked } from "marked";
import type { Token, Tokens } from "marked";

const parser = new Marked({ gfm: true });

/** An image with an address, for text without a syntax tree. */
const IMAGE = /!\[([^\]\n]*)\]\(\s*<?([^)\s>]*)>?[^)\n]*\)/g;

/** More nested quotes than anybody writes. */
const TOO_DEEP = /^(?:[ \t]*>){50}/m;

/** The blocks of a text; `undefined` if it is nested too deeply to be parsed. */
export function parseMarkdown(source: string): readonly Token[] | undefined {
  if (TOO_DEEP.test(source)) return undefined;
  try {
    return parser.lexer(source);
  } catch (cause) {
    if (cause instanceof RangeError) return undefined;
    throw cause;
  }
}

/**
 * Rewrites Markdown that Feishu's `md` element does not support, and keeps every other character: headings become small ones, tables and indented code become
 * fenced blocks, images and references become plain links.
 */
export function renderBlocks(blocks: readonly Token[]): string {
  return blocks.map((token) => renderToken(token, true)).join("");
}

/** The same for a text without a tree: only images are rewritten, because a message with one is refused. */
export function renderUnparsed(source: string): string {
  return source.replace(IMAGE, (_, alt: string, url: string) => plainLink(alt, url));
}

function renderToken(token: Token, isBlock: boolean): string {
  switch (token.type) {
    case "heading":
      return renderHeading(token as Tokens.Heading);
    case "image":
      return plainLink((token as Tokens.Image).text, (token as Tokens.Image).href);
    case "link":
      return renderLink(token as Tokens.Link);
    case "def":
      return "";
    case "table":
      return isBlock ? fenced(token.raw) : token.raw;
    case "code":
      return isBlock && (token as Tokens.Code).codeBlockStyle === "indented" ? fenced((token as Tokens.Code).text) : token.raw;
    case "codespan":
      return token.raw;
    case "list":
      return compose(token.raw, (token as Tokens.List).items);
    default:
      return "tokens" in token && token.tokens !== undefined ? compose(token.raw, token.tokens) : token.raw;
  }
}

function renderHeading(heading: Tokens.Heading): string {
  const text = heading.tokens.map((token) => renderToken(token, false)).join("");
  const after = /\n*$/.exec(heading.raw)?.[0] ?? "";
  return `${heading.depth === 1 ? "####" : "#####"} ${text}${after}`;
}

/** A reference link has no address of its own in the text. */
function renderLink(link: Tokens.Link): string {
  if (!link.raw.startsWith("[") || link.raw.endsWith(")")) return compose(link.raw, link.tokens);
  return `[${link.tokens.map((token) => renderToken(token, false)).join("")}](${link.href})`;
}

/** Inserts rewritten parts. A part that is written differently inside its container (quote marks, indents) leaves the container unchanged. */
function compose(raw: string, parts: readonly Token[]): string {
  let result = "";
  let at = 0;
  for (const part of parts) {
    const found = raw.indexOf(part.raw, at);
    if (found === -1) return renderUnparsed(raw);
    result += raw.slice(at, found) + renderToken(part, false);
    at = found + part.raw.length;
  }
  return result + raw.slice(at);
}

function plainLink(alt: string, url: string): string {
  const label = alt.replace(/[[\]]/g, "") || "image";
  return url === "" ? label : `[${label}](${url})`;
}

function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  const after = /\n*$/.exec(text)?.[0] ?? "";
  return `${fence}\n${text.slice(0, text.length - after.length)}\n${fence}${after}`;
}
