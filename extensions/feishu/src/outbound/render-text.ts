import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { gfm } from "micromark-extension-gfm";
import { editMarkdown } from "./edit-markdown.ts";
import type { MarkdownNode } from "./edit-markdown.ts";

/** A message body as the platform takes it. */
export interface MessageBody {
  readonly msg_type: "text" | "post";
  /** JSON in a string. */
  readonly content: string;
}

/** Largest request body in bytes, by type. */
export const MAX_BODY_BYTES: Readonly<Record<MessageBody["msg_type"], number>> = { text: 150 * 1024, post: 30 * 1024 };

/**
 * Renders Markdown for Feishu: plain words as `text`, anything with markup as a `post` with one `md` element. What that element does not know is replaced
 * (headings are made small, tables stand as code, images become links). A tag that would notify people cannot get through: `<at` is broken up.
 */
export function renderText(markdown: string): MessageBody {
  const tree: MarkdownNode = fromMarkdown(markdown, { extensions: [gfm()], mdastExtensions: [gfmFromMarkdown()] });
  if (isPlain(tree, markdown)) return { msg_type: "text", content: JSON.stringify({ text: markdown.trim() }) };
  const text = editMarkdown(markdown, tree)
    .replace(/<(?=\/?at\b)/gi, "<\u200b")
    .trim();
  return { msg_type: "post", content: JSON.stringify({ zh_cn: { content: [[{ tag: "md", text }]] } }) };
}

/** True when the text means what it says, letter by letter: paragraphs of words and bare addresses, without an escape and without what could be a tag. */
function isPlain(tree: MarkdownNode, source: string): boolean {
  if (source.includes("<")) return false;
  return (tree.children ?? []).every(
    (block) =>
      block.type === "paragraph" &&
      (block.children ?? []).every((node) => isLiteral(node, source.slice(node.position?.start.offset, node.position?.end.offset))),
  );
}

function isLiteral(node: MarkdownNode, source: string): boolean {
  // Indents of continued lines are not part of a text node's value.
  if (node.type === "text") return node.value === source.replace(/\n[ \t]+/g, "\n").replace(/[ \t]+\n/g, "\n");
  return node.type === "link" && (node.url === source || node.url === `http://${source}` || node.url === `mailto:${source}`);
}
