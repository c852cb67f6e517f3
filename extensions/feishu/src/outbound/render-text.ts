import type { Token, Tokens } from "marked";
import { parseMarkdown, renderBlocks, renderUnparsed } from "./feishu-markdown.ts";

/** A message body as the platform takes it. */
export interface MessageBody {
  readonly msg_type: "text" | "post";
  /** JSON in a string. */
  readonly content: string;
}

/** Largest request body in bytes, by type. */
export const MAX_BODY_BYTES: Readonly<Record<MessageBody["msg_type"], number>> = { text: 150 * 1024, post: 30 * 1024 };

/** Where a tag that notifies people would begin. */
const AT_TAG = /<(?=\/?at\b)/gi;

/**
 * Renders Markdown for Feishu: plain words as `text`, anything with markup as a `post` with one `md` element. What that element does not know is replaced
 * (headings are made small, tables stand as code, images become links). A tag that would notify people cannot get through: it is broken up by a zero-width
 * space, wherever it stands.
 */
export function renderText(markdown: string): MessageBody {
  const source = markdown.replaceAll("\r\n", "\n").trim();
  const blocks = parseMarkdown(source);
  if (blocks !== undefined && isPlain(blocks, source)) return { msg_type: "text", content: JSON.stringify({ text: source }) };
  const rendered = (blocks === undefined ? renderUnparsed(source) : renderBlocks(blocks)).trim();
  const text = (rendered === "" ? source : rendered).replace(AT_TAG, "<\u200b");
  return { msg_type: "post", content: JSON.stringify({ zh_cn: { content: [[{ tag: "md", text }]] } }) };
}

/** True when the text means what it says, letter by letter: paragraphs of words and bare addresses, no escape, no entity, nothing that could be a tag. */
function isPlain(blocks: readonly Token[], source: string): boolean {
  if (/<|&#?\w+;/.test(source)) return false;
  return blocks.every((block) => block.type === "space" || (block.type === "paragraph" && (block.tokens ?? []).every(isLiteral)));
}

function isLiteral(token: Token): boolean {
  if (token.type === "text") return true;
  if (token.type === "br") return true;
  return token.type === "link" && (token as Tokens.Link).autolink === true && !token.raw.startsWith("<");
}
