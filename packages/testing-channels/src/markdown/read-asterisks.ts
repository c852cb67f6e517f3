/** A visible character and the styles it is shown in, sorted. */
export interface AsteriskCharacter {
  readonly character: string;
  readonly styles: string;
}

const ENTITIES: Readonly<Record<string, string>> = { amp: "&", lt: "<", gt: ">" };
const DELIMITERS: Readonly<Record<string, string>> = { "*": "strong", _: "emphasis", "~": "strikethrough", "`": "code" };
const WORD = /[\p{L}\p{N}_]/u;
const LETTER = /[\p{L}\p{N}]/u;
const SPACE = /[\s\u200b]/;

/**
 * The markup with one asterisk: a delimiter opens after a character that is no letter and before one that is no space, closes the other way round, and works on
 * one line only. A zero-width space counts as a space inside a style.
 */
export function readAsterisks(message: string): AsteriskCharacter[] {
  const characters: AsteriskCharacter[] = [];
  for (const [index, block] of message.split(/(?<=^(?:> |• |☐ |☑ |\d+\. | )*)```\n?|\n[ >]*```$/m).entries()) {
    if (index % 2 === 1) characters.push(...shown(entities(block), ["code-block"]));
    else for (const line of block.split("\n")) characters.push(...readAsteriskLine(line));
  }
  return characters;
}

function readAsteriskLine(line: string): AsteriskCharacter[] {
  if (/^(?:>|&gt;)/.test(line)) return readAsteriskLine(line.replace(/^(?:>|&gt;) ?/, ""));
  const open: string[] = [];
  const characters: AsteriskCharacter[] = [];
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

function shown(text: string, styles: readonly string[]): AsteriskCharacter[] {
  const names = [...new Set(styles.filter((style) => style !== ""))].toSorted().join("+");
  return Array.from(text.replaceAll(/[\s\u200b]/g, ""), (character) => ({ character, styles: names }));
}

function fail(message: string): never {
  throw new Error(message);
}
