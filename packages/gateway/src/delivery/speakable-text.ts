import { Marked } from "marked";
import type { Token, Tokens } from "marked";

const parser = new Marked({ gfm: true });

/** More nested quotes than anybody writes. */
const TOO_DEEP = /^(?:[ \t]*>){50}/m;

/** What of a Markdown text can be said aloud. */
export interface SpeakableText {
  /** Empty if nothing can be said. */
  readonly text: string;
  /** False if a reader gets more than a listener: code, a table, an address, an image, or the end of a long text. */
  readonly isWhole: boolean;
}

/** Removes markup, code, tables, images and addresses; cuts after `maxChars`, at the end of a sentence or a word where there is one. */
export function speakableText(markdown: string, maxChars: number): SpeakableText {
  const found = { isWhole: true };
  const said = TOO_DEEP.test(markdown)
    ? markdown
    : say(parser.lexer(markdown), found)
        .replaceAll(/\n{3,}/g, "\n\n")
        .trim();
  if (said.length <= maxChars) return { text: said, isWhole: found.isWhole };
  const head = said.slice(0, maxChars).toWellFormed();
  const end = Math.max(head.lastIndexOf(". "), head.lastIndexOf("。"), head.lastIndexOf("\n"));
  const space = head.lastIndexOf(" ");
  const at = end > maxChars / 2 ? end + 1 : space > maxChars / 2 ? space : head.length;
  return { text: head.slice(0, at).trim(), isWhole: false };
}

function say(tokens: readonly Token[], found: { isWhole: boolean }): string {
  return tokens.map((token) => one(token, found)).join("");
}

function one(token: Token, found: { isWhole: boolean }): string {
  switch (token.type) {
    case "code":
    case "table":
    case "image":
    case "html":
      found.isWhole = false;
      return "";
    case "hr":
    case "def":
      return "";
    case "br":
    case "space":
      return "\n";
    case "codespan":
    case "escape":
      return (token as Tokens.Codespan | Tokens.Escape).text;
    case "link": {
      found.isWhole = false;
      const { href, tokens } = token as Tokens.Link;
      const text = say(tokens, found);
      return text === href || `mailto:${text}` === href ? "" : text;
    }
    case "list":
      return (token as Tokens.List).items.map((item) => `${say(item.tokens, found).trim()}\n`).join("");
    case "checkbox":
      return "";
    case "heading":
    case "paragraph":
    case "blockquote":
      return `${say((token as Tokens.Paragraph).tokens, found).trim()}\n\n`;
    default:
      return "tokens" in token && token.tokens !== undefined ? say(token.tokens, found) : token.raw;
  }
}
