import type { Markdown, Mention } from "@factotum/channel-contract";
import { controlCodes, flattenMarkdown, mentionPattern, renderMarkdown, replaceMentions } from "@factotum/channel-kit";
import type { Piece } from "@factotum/channel-kit";
import { isOneLine } from "../network/irc-line.ts";

const DIALECT = controlCodes();

/** The kit's least length of a message; a server that leaves less room has absurd names. */
const MIN_BYTES = 32;

/** Renders Markdown as lines of at most `maxBytes`, with formatting codes. No line is blank or has a line break or NUL in it. */
export function renderLines(
  text: Markdown,
  options: { readonly maxBytes: number; readonly mentions?: readonly Mention[] | undefined },
): readonly string[] {
  const { maxBytes, mentions = [] } = options;
  const lines = renderMarkdown(withNicks(text, mentions), {
    dialect: DIALECT,
    maxLength: Math.max(MIN_BYTES, maxBytes),
    unit: "bytes",
    maxLines: 1,
  });
  return lines.filter((line) => line.trim() !== "" && isOneLine(line));
}

/** People are notified by their nickname: `@name` becomes `name`, with a colon at the beginning of the text, as people write it. */
function withNicks(text: Markdown, mentions: readonly Mention[]): readonly Piece[] {
  const names = mentions.map(({ name }) => name);
  return replaceMentions(withColon(flattenMarkdown(text, DIALECT), names), names, (name) => name);
}

function withColon(pieces: readonly Piece[], names: readonly string[]): readonly Piece[] {
  const [block, first, ...rest] = pieces;
  if (block?.type !== "enter" || block.span.type !== "paragraph" || first?.type !== "text") return pieces;
  const found = mentionPattern(names)?.exec(first.text);
  const [mention = "", name] = found ?? [];
  if (found?.index !== 0 || first.text.charAt(mention.length) !== " ") return pieces;
  return [block, { ...first, text: `${name}:${first.text.slice(mention.length)}` }, ...rest];
}
