import type { Token, Tokens } from "marked";
import { parseMarkdown, renderBlocks, renderUnparsed } from "./feishu-markdown.ts";

/** A message body, as the platform accepts it. */
export interface MessageBody {
  readonly msg_type: "text" | "post";
  /** JSON in a string. */
  readonly content: string;
}

/** Largest request body in bytes, by type. */
export const MAX_BODY_BYTES: Readonly<Record<MessageBody["msg_type"], number>> = { text: 150 * 1024, post: 30 * 1024 };

/** The start of a tag that notifies people. */
const AT_TAG = /<(?=\/?at\b)/gi;

/**
 * Renders Markdown for Feishu: plain text as `text`, anything with markup as a `post` with one `md` element. Unsupported markup is replaced (headings become
 * small, tables become code, images become links). Tags that notify people are broken up by a zero-width space everywhere.
 */
export function renderText(markdown: string): MessageBody {
  const source = markdown.replaceAll("\r\n", "\n").trim();
  const blocks = parseMarkdown(source);
  if (blocks !== undefined && isPlain(blocks, source)) return { msg_type: "text", content: JSON.stringify({ text: source }) };
  const rendered = (blocks === undefined ? renderUnparsed(source) : renderBlocks(blocks)).trim();
  const text = (rendered === "" ? source : rendered).replace(AT_TAG, "<\u200b");
  return { msg_type: "post", content: JSON.stringify({ zh_cn: { content: [[{ tag: "md", text }]] } }) };
}

/** True if the text has no markup: paragraphs of text and bare addresses, no escape, no entity, nothing that could be a tag. */
function isPlain(blocks: readonly Token[], source: string): boolean {
  if (/<|&#?\w+;/.test(source)) return false;
  return blocks.every((block) => block.type === "space" || (block.type === "paragraph" && (block.tokens ?? []).every(isLiteral)));
}

function isLiteral(token: Token): boolean {
  if (token.type === "text") return true;
  if (token.type === "br") return true;
  return token.type === "link" && (token as Tokens.Link).autolink === true && !token.raw.startsWith("<");
}
