import type { Mention } from "@factotum/channel-contract";
import { flattenMarkdown, markdownMarkup, renderMarkdown, replaceMentions } from "@factotum/channel-kit";
import type { Dialect, Piece } from "@factotum/channel-kit";
import { MAX_TEXT_LENGTH } from "../capabilities.ts";
import { isSnowflake } from "../snowflake.ts";

const DIALECT: Dialect = markdownMarkup({
  headings: 3,
  tables: "code",
  images: "link",
  fences: "three",
  addresses: "angle",
  mentions: /@(?=everyone|here)/g,
});

/** A mark is as long as what replaces it. */
const MARK = /\uE000\uE000(\d+)\uE001/g;

/** A rendered text, and whom it notifies. */
export interface RenderedText {
  readonly messages: readonly string[];
  readonly userIds: readonly string[];
}

/**
 * Renders Markdown in the platform's variant, as messages of at most 2,000 characters. People in `mentions` are notified where the text names them outside
 * code. Nothing visible gives no message.
 */
export function renderText(markdown: string | readonly Piece[], mentions: readonly Mention[] = []): RenderedText {
  const people = new Map(mentions.flatMap(({ id = "", name }) => (isSnowflake(id) && name !== "" ? [[name, id] as const] : [])));
  const pieces = typeof markdown === "string" ? flattenMarkdown(markdown.replaceAll(/[\uE000\uE001]/g, ""), DIALECT) : markdown;
  const marked = replaceMentions(pieces, [...people.keys()], (name) => `\uE000\uE000${people.get(name) ?? ""}\uE001`);
  const userIds = new Set<string>();
  const messages = renderMarkdown(marked, { dialect: DIALECT, maxLength: MAX_TEXT_LENGTH }).map((text) =>
    text.replaceAll(MARK, (_, id: string) => {
      userIds.add(id);
      return `<@${id}>`;
    }),
  );
  return { messages, userIds: [...userIds] };
}
