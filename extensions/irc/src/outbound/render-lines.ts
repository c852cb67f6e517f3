import type { Markdown, Mention } from "@factotum/channel-contract";
import { controlCodes, renderMarkdown } from "@factotum/channel-kit";
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
function withNicks(text: Markdown, mentions: readonly Mention[]): Markdown {
  return mentions.reduce((before, { name }) => {
    const start = `@${name} `;
    const first = before.startsWith(start) ? `${name}: ${before.slice(start.length)}` : before;
    return first.replaceAll(`@${name}`, name);
  }, text);
}
