import { readAsterisks as readAsteriskMarkup } from "@factotum/testing-channels";
import { flattenMarkdown } from "../src/index.ts";
import type { Piece } from "../src/index.ts";

/** A visible character and the styles it is shown in, sorted. */
export interface StyledCharacter {
  readonly character: string;
  readonly styles: string;
}

/** Reads a message as the platform would show it; throws if it is not well-formed. White space and zero-width spaces are left out. */
export type DialectReader = (message: string) => StyledCharacter[];

const STYLES: ReadonlySet<string> = new Set(["strong", "emphasis", "strikethrough", "code", "code-block", "link", "image", "heading"]);

/** The visible characters of pieces. */
export function readPieces(pieces: readonly Piece[]): StyledCharacter[] {
  const stack: string[] = [];
  return pieces.flatMap((piece) => {
    if (piece.type === "enter") stack.push(STYLES.has(piece.span.type) ? piece.span.type : "");
    if (piece.type === "exit") stack.pop();
    return piece.type === "text" ? shown(piece.text, stack) : [];
  });
}

/** Markdown, by the parser. */
export const readMarkdown: DialectReader = (message) => readPieces(flattenMarkdown(message, { tables: "native" }));

const TAGS: Readonly<Record<string, string>> = {
  b: "strong",
  strong: "strong",
  i: "emphasis",
  em: "emphasis",
  s: "strikethrough",
  del: "strikethrough",
  code: "code",
  pre: "code-block",
  a: "link",
};
const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">", quot: '"' };

/** HTML with the tags of a dialect: strict about nesting and entities. */
export function readHtml(tags: ReadonlySet<string>): DialectReader {
  return (message) => {
    const open: string[] = [];
    const characters: StyledCharacter[] = [];
    let text = "";
    const flush = (): void => {
      characters.push(...shown(text, open.includes("pre") ? ["code-block"] : open.map((tag) => TAGS[tag] ?? "")));
      text = "";
    };
    for (const { 0: token, groups = {} } of message.matchAll(
      /<(?<end>\/?)(?<tag>[a-z]\d?\w*)(?<attributes>(?: [a-z]+="[^"<>]*")*)>|&(?<entity>\w+);|[^<>&]|[^]/g,
    )) {
      const { end, tag, entity } = groups;
      if (entity !== undefined) text += ENTITIES[entity] ?? fail(`unknown entity ${token} in ${message}`);
      else if (tag === undefined) text += "<>&".includes(token) ? fail(`a bare ${token} in ${message}`) : token;
      else {
        flush();
        if (!tags.has(tag)) fail(`unknown tag ${token}`);
        if (end === "/" ? open.pop() !== tag : false) fail(`${token} closes nothing in ${message}`);
        if (end === "" && tag !== "br" && tag !== "hr") open.push(tag);
      }
    }
    flush();
    if (open.length > 0) fail(`${open.join(", ")} left open in ${message}`);
    return characters;
  };
}

const CODES: Readonly<Record<string, string>> = { "\u0002": "strong", "\u001d": "emphasis", "\u001e": "strikethrough", "\u0011": "code" };

/** Control codes, which end with their line. */
export const readControlCodes: DialectReader = (message) =>
  message.split("\n").flatMap((line) => {
    const on = new Set<string>();
    return Array.from(line).flatMap((character) => {
      const style = CODES[character];
      if (style === undefined)
        return character < " " && character !== "\t" ? fail(`control ${JSON.stringify(character)}`) : shown(character, [...on]);
      if (!on.delete(style)) on.add(style);
      return [];
    });
  });

/** The markup with one asterisk. */
export const readAsterisks: DialectReader = readAsteriskMarkup;

/** Text as it is. */
export const readPlain: DialectReader = (message) => shown(message, []);

function shown(text: string, styles: readonly string[]): StyledCharacter[] {
  const names = [...new Set(styles.filter((style) => style !== ""))].toSorted().join("+");
  return Array.from(text.replaceAll(/[\s\u200b]/g, ""), (character) => ({ character, styles: names }));
}

function fail(message: string): never {
  throw new Error(message);
}
