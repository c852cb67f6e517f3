import type { Mention } from "@factotum/channel-contract";
import { asteriskMarkup, flattenMarkdown, renderMarkdown, replaceMentions } from "@factotum/channel-kit";
import type { Dialect } from "@factotum/channel-kit";

/** Longest text of a section. */
export const MAX_SECTION_LENGTH = 3_000;
/** Longest rendered text that is sent without blocks: an edit to a longer one is refused. */
const MAX_PLAIN_LENGTH = 4_000;

/** Names of all people of a conversation, which notify them. `<!channel>` cannot work: `<` is an entity. */
const MASS_MENTION = /@(?=(?:channel|here|everyone)\b)/gi;

const DIALECT: Dialect = asteriskMarkup({ links: "angle", mentions: MASS_MENTION });

/** A message body, as the platform accepts it. */
export interface MessageBody {
  /** Without blocks the message; with them what notifications show. */
  readonly text: string;
  readonly blocks?: readonly object[];
}

/** Renders Markdown as one message. Long texts become sections. Nothing visible gives `undefined`. */
export function renderText(markdown: string, mentions: readonly Mention[] = []): MessageBody | undefined {
  const [text, ...more] = renderMrkdwn(markdown, { mentions });
  if (text === undefined) return undefined;
  if (more.length === 0 && text.length <= MAX_PLAIN_LENGTH) return { text };
  const sections = renderMrkdwn(markdown, { mentions, maxLength: MAX_SECTION_LENGTH });
  return { text: sections[0] ?? text, blocks: sections.map(section) };
}

/** Renders Markdown in the platform's markup, as texts of at most `maxLength`. People in `mentions` are notified where the text names them outside code. */
export function renderMrkdwn(
  markdown: string,
  { mentions = [], maxLength }: { readonly mentions?: readonly Mention[]; readonly maxLength?: number } = {},
): string[] {
  const people = mentions.filter(({ id, name }) => id !== undefined && /^[UW][A-Z0-9]+$/.test(id) && name !== "");
  const source = markdown.replaceAll(/[\uE000\uE001]/g, "");
  const names = people.map(({ name }) => name);
  // A mark in place of each name is neither escaped nor cut.
  const marked = replaceMentions(flattenMarkdown(source, DIALECT), names, (name) => `\uE000${names.indexOf(name)}\uE001`);
  return renderMarkdown(marked, { dialect: DIALECT, ...(maxLength !== undefined && { maxLength }) }).map((text) =>
    text.replaceAll(/\uE000(\d+)\uE001/g, (_, index: string) => `<@${people[Number(index)]?.id ?? ""}>`),
  );
}

/** A section with text in the platform's markup. */
export function section(text: string): object {
  return { type: "section", text: { type: "mrkdwn", text } };
}

const STREAM_MENTION = /<[!@#]|@(?:channel|here|everyone)/gi;
const LONGEST_MENTION = 10;

/**
 * The next part of a streamed text. The platform reads it as Markdown, with its own references: they are broken up by a zero-width space, also those that
 * began in `before`, the text that was sent.
 */
export function renderStreamPart(added: string, before: string): string {
  const tail = before.slice(-LONGEST_MENTION);
  const whole = tail + added;
  let result = "";
  let at = tail.length;
  for (const { index, 0: match } of whole.matchAll(STREAM_MENTION)) {
    if (index + match.length <= tail.length) continue;
    const breakAt = Math.max(index + 1, tail.length);
    result += `${whole.slice(at, breakAt)}\u200B`;
    at = breakAt;
  }
  return result + whole.slice(at);
}
