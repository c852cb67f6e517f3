import type { Mention } from "@factotum/channel-contract";
import type { Nodes } from "mdast";
import { parseText, renderParsed, renderUnparsed } from "./feishu-markdown.ts";
import type { ParsedText } from "./feishu-markdown.ts";
import { MentionTags } from "./mention-tags.ts";

/** A message body, as the platform accepts it. */
export interface MessageBody {
  readonly msg_type: "text" | "post";
  /** JSON in a string. */
  readonly content: string;
}

/** Largest request body in bytes, by type. */
export const MAX_BODY_BYTES: Readonly<Record<MessageBody["msg_type"] | "interactive", number>> = {
  text: 150 * 1024,
  post: 30 * 1024,
  interactive: 30 * 1024,
};

/** The start of a tag that notifies people. */
const AT_TAG = /<(?=\/?at\b)/gi;

/**
 * Renders Markdown for Feishu: plain text as `text`, anything with markup as a `post` with one `md` element. Unsupported markup is replaced (headings become
 * small, tables become code, images become links). The `@name` of each of `mentions` notifies that person; all other tags that would notify people are broken
 * up by a zero-width space.
 */
export function renderText(markdown: string, mentions: readonly Mention[] = []): MessageBody {
  const tags = new MentionTags(mentions);
  const source = tags.clean(sourceOf(markdown));
  const parsed = parseText(source);
  if (parsed !== undefined && isPlain(parsed))
    return { msg_type: "text", content: JSON.stringify({ text: tags.insert(tags.mark(source)) }) };
  const text = tags.insert(rewrite(source, parsed, tags));
  return { msg_type: "post", content: JSON.stringify({ zh_cn: { content: [[{ tag: "md", text }]] } }) };
}

/** The same for the `markdown` element of a card. */
export function renderMarkdown(markdown: string): string {
  const source = sourceOf(markdown);
  return rewrite(source, parseText(source), new MentionTags([]));
}

function sourceOf(markdown: string): string {
  // The indent of a first line makes it code.
  return markdown
    .replaceAll("\r\n", "\n")
    .replace(/^(?:[ \t]*\n)+/, "")
    .trimEnd();
}

function rewrite(source: string, parsed: ParsedText | undefined, tags: MentionTags): string {
  const rendered = (parsed === undefined ? renderUnparsed(source) : renderParsed(parsed, (text) => tags.mark(text))).trim();
  return (rendered === "" ? source : rendered).replace(AT_TAG, "<\u200b");
}

/** True if the text has no markup: paragraphs of text and bare addresses, no escape, no entity, nothing that could be a tag. */
function isPlain({ source, root }: ParsedText): boolean {
  if (/<|&#?\w+;/.test(source)) return false;
  return root.children.every((block) => {
    if (block.type !== "paragraph") return false;
    const words = block.children.map(wordsOf);
    const written = source.slice(block.position?.start.offset, block.position?.end.offset);
    return !words.includes(undefined) && withoutSpace(words.join("")) === withoutSpace(written);
  });
}

/** The text of a node or bare address; `undefined` for anything else. */
function wordsOf(node: Nodes): string | undefined {
  if (node.type === "text") return node.value;
  if (node.type === "break") return "";
  const [text] = node.type === "link" ? node.children : [];
  return text?.type === "text" ? text.value : undefined;
}

function withoutSpace(text: string): string {
  return text.replaceAll(/\s/g, "");
}
