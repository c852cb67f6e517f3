import type { Mention } from "@factotum/channel-contract";
import { escapeHtml, flattenMarkdown, htmlSubset, renderMarkdown, replaceMentions } from "@factotum/channel-kit";
import type { Dialect, Piece } from "@factotum/channel-kit";
import { MAX_RENDERED_LENGTH } from "../capabilities.ts";

const DIALECT: Dialect = htmlSubset();

/**
 * Renders Markdown as HTML of the platform, as messages of at most `maxLength` visible characters. People in `mentions` are notified where the text names them
 * outside code. Nothing visible gives no message.
 */
export function renderHtml(
  markdown: string | readonly Piece[],
  { mentions = [], maxLength = MAX_RENDERED_LENGTH }: { readonly mentions?: readonly Mention[]; readonly maxLength?: number } = {},
): string[] {
  const people = mentions.filter(({ id, name }) => id !== undefined && /^\d+$/.test(id) && name !== "");
  const pieces = typeof markdown === "string" ? flattenMarkdown(markdown.replaceAll(/[\uE000\uE001]/g, ""), DIALECT) : markdown;
  // Marks around each name are neither escaped nor counted as markup.
  const marked = replaceMentions(
    pieces,
    people.map(({ name }) => name),
    (name) => `\uE000@${name}\uE001`,
  );
  const idOf = new Map(people.map(({ id, name }) => [escapeHtml(name), id]));
  return renderMarkdown(marked, { dialect: DIALECT, maxLength }).map((html) =>
    html
      .replaceAll(/\uE000@([^\uE000\uE001]*)\uE001/g, (_, name: string) => {
        const id = idOf.get(name);
        return id === undefined ? `@${name}` : `<a href="tg://user?id=${id}">@${name}</a>`;
      })
      .replaceAll(/[\uE000\uE001]/g, ""),
  );
}

/** What HTML of the platform shows, for a message whose styles are refused. */
export function visibleText(html: string): string {
  return html
    .replaceAll(/<[^>]*>/g, "")
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&amp;", "&");
}
