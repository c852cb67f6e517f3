import type { Mention } from "@factotum/channel-contract";
import { escapeHtml, flattenMarkdown, htmlDocument, renderMarkdown, replaceMentions } from "@factotum/channel-kit";
import type { Dialect } from "@factotum/channel-kit";
import { htmlTokens } from "../inbound/html-tokens.ts";
import { parseHtml } from "../inbound/parse-html.ts";
import { isUserId, linkOfUser } from "../inbound/user-links.ts";

/** One message: its plain text, its HTML if that says more, and the people whom it names. */
export interface RenderedText {
  readonly body: string;
  readonly html?: string;
  readonly userIds: readonly string[];
}

/** Longest HTML of one message. A text of the declared length has 16 kB more as bytes at most, and its plain form 24 kB. */
const MAX_HTML_LENGTH = 18_000;

const DOCUMENT = htmlDocument();
/** The HTML of messages: without the attribute `align`, which the platform does not allow. */
const DIALECT: Dialect = {
  ...DOCUMENT,
  frame(span) {
    return DOCUMENT.frame(span.type === "cell" ? { ...span, align: "none" } : span);
  },
};

/** Renders Markdown as messages. People in `mentions` are named where the text names them outside code. Nothing visible gives no message. */
export function renderText(
  markdown: string,
  { mentions = [], maxLength = MAX_HTML_LENGTH }: { readonly mentions?: readonly Mention[]; readonly maxLength?: number } = {},
): readonly RenderedText[] {
  const people = mentions.filter(({ id, name }) => id !== undefined && isUserId(id) && name !== "");
  // Marks around each name are neither escaped nor counted as markup.
  const marked = replaceMentions(
    flattenMarkdown(markdown.replaceAll(/[\uE000\uE001]/g, ""), DIALECT),
    people.map(({ name }) => name),
    (name) => `\uE000@${name}\uE001`,
  );
  const idOf = new Map(people.map(({ id = "", name }) => [escapeHtml(name), id]));
  return renderMarkdown(marked, { dialect: DIALECT, maxLength }).map((rendered) => {
    const userIds = new Set<string>();
    const html = rendered
      .replaceAll(/\uE000@([^\uE000\uE001]*)\uE001/g, (_, name: string) => {
        const id = idOf.get(name);
        if (id === undefined) return `@${name}`;
        userIds.add(id);
        return `<a href="${linkOfUser(id)}">@${name}</a>`;
      })
      .replaceAll(/[\uE000\uE001]/g, "");
    return toRendered(html, [...userIds]);
  });
}

function toRendered(html: string, userIds: readonly string[]): RenderedText {
  // One paragraph without styles says nothing that its plain text does not.
  const single = /^<p>((?:(?!<\/p>)[^])*)<\/p>$/.exec(html)?.[1];
  if (single !== undefined && !/<(?!br>)/.test(single)) return { body: visibleText(single), userIds };
  const { text } = parseHtml(html, { selfId: "" });
  return { body: text, html: single ?? html, userIds };
}

/** The characters that HTML shows. */
function visibleText(html: string): string {
  return Array.from(htmlTokens(html), (token) => (token.type === "text" ? token.text : "")).join("");
}
