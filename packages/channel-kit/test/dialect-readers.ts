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

const DELIMITERS: Readonly<Record<string, string>> = { "*": "strong", _: "emphasis", "~": "strikethrough", "`": "code" };
const WORD = /[\p{L}\p{N}_]/u;
const LETTER = /[\p{L}\p{N}]/u;
const SPACE = /[\s\u200b]/;

/**
 * The markup with one asterisk: a delimiter opens after a character that is no letter and before one that is no space, closes the other way round, and works on
 * one line only. A zero-width space counts as a space inside a style.
 */
export const readAsterisks: DialectReader = (message) => {
  const characters: StyledCharacter[] = [];
  for (const [index, block] of message.split(/^(?:> )?```\n?|\n[ >]*```$/m).entries()) {
    if (index % 2 === 1) characters.push(...shown(entities(block), ["code-block"]));
    else for (const line of block.split("\n")) characters.push(...readAsteriskLine(line));
  }
  return characters;
};

function readAsteriskLine(line: string): StyledCharacter[] {
  if (/^(?:>|&gt;)/.test(line)) return readAsteriskLine(line.replace(/^(?:>|&gt;) ?/, ""));
  const open: string[] = [];
  const characters: StyledCharacter[] = [];
  const tokens = Array.from(line.matchAll(/<(?:[^<>|]*)\||>|&\w+;|[^]/gu), ([token]) => token);
  let isOpener = false;
  for (const [index, token] of tokens.entries()) {
    const before = tokens[index - 1] ?? " ";
    const after = tokens[index + 1] ?? " ";
    const style = DELIMITERS[token];
    const canClose = style !== undefined && open.includes(style) && !SPACE.test(before) && !LETTER.test(after.charAt(0));
    const isEdge: boolean = isOpener || !WORD.test(entities(before));
    const canOpen: boolean = style !== undefined && !open.includes(style) && isEdge && !SPACE.test(after) && isClosedLater(tokens, index);
    if (open.includes("code") && !(token === "`" && canClose)) characters.push(...shown(entities(token), open));
    else if (canClose) open.splice(open.lastIndexOf(style), 1);
    else if (canOpen) open.push(style ?? "");
    else if (token.startsWith("<")) open.push("link");
    else if (token === ">") open.splice(open.lastIndexOf("link"), 1);
    else characters.push(...shown(entities(token), open));
    isOpener = canOpen || token.startsWith("<");
  }
  return characters;
}

function isClosedLater(tokens: readonly string[], index: number): boolean {
  return tokens.some(
    (token, at) =>
      at > index + 1 && token === tokens[index] && !SPACE.test(tokens[at - 1] ?? " ") && !LETTER.test((tokens[at + 1] ?? " ").charAt(0)),
  );
}

function entities(text: string): string {
  return text.replaceAll(/&(\w+);/g, (_, name: string) => ENTITIES[name] ?? fail(`unknown entity ${name}`));
}

/** Text as it is. */
export const readPlain: DialectReader = (message) => shown(message, []);

function shown(text: string, styles: readonly string[]): StyledCharacter[] {
  const names = [...new Set(styles.filter((style) => style !== ""))].toSorted().join("+");
  return Array.from(text.replaceAll(/[\s\u200b]/g, ""), (character) => ({ character, styles: names }));
}

function fail(message: string): never {
  throw new Error(message);
}
