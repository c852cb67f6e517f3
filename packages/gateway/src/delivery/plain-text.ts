import { Marked } from "marked";
import type { Token, Tokens } from "marked";

const parser = new Marked({ gfm: true });

/** More nested quotes than anybody writes. */
const TOO_DEEP = /^(?:[ \t]*>){50}/m;

/** The text of a Markdown document without markup, for a platform that rejects the markup. A text that cannot be parsed is unchanged. */
export function plainText(markdown: string): string {
  if (TOO_DEEP.test(markdown)) return markdown;
  try {
    return blocks(parser.lexer(markdown)).trim();
  } catch (error) {
    if (error instanceof RangeError) return markdown;
    throw error;
  }
}

function blocks(tokens: readonly Token[]): string {
  return tokens
    .map((token) => block(token).trimEnd())
    .filter((text) => text !== "")
    .join("\n\n");
}

function block(token: Token): string {
  switch (token.type) {
    case "space":
    case "hr":
    case "def":
      return "";
    case "code":
      return (token as Tokens.Code).text;
    case "blockquote":
      return blocks((token as Tokens.Blockquote).tokens);
    case "list":
      return list(token as Tokens.List);
    case "table": {
      const { header, rows } = token as Tokens.Table;
      return [header, ...rows].map((row) => row.map((cell) => inline(cell.tokens)).join(" | ")).join("\n");
    }
    default:
      return "tokens" in token && token.tokens !== undefined ? inline(token.tokens) : token.raw;
  }
}

function list({ items, ordered, start }: Tokens.List): string {
  const first = ordered && typeof start === "number" ? start : 1;
  return items
    .map((item, index) => {
      const lead = ordered ? `${first + index}. ` : "- ";
      const text = item.loose ? blocks(item.tokens) : item.tokens.map((token) => block(token).trimEnd()).join("\n");
      return lead + text.replaceAll("\n", `\n${" ".repeat(lead.length)}`);
    })
    .join("\n");
}

function inline(tokens: readonly Token[]): string {
  return tokens.map(span).join("");
}

function span(token: Token): string {
  switch (token.type) {
    case "br":
      return "\n";
    case "codespan":
    case "escape":
      return (token as Tokens.Codespan | Tokens.Escape).text;
    case "link": {
      const { href, tokens } = token as Tokens.Link;
      const text = inline(tokens);
      return text === href || `mailto:${text}` === href ? text : `${text} (${href})`;
    }
    case "image": {
      const { href, text } = token as Tokens.Image;
      return text === "" ? href : `${text} (${href})`;
    }
    default:
      return "tokens" in token && token.tokens !== undefined ? inline(token.tokens) : token.raw;
  }
}
