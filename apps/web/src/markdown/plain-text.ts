import type { Nodes } from "mdast";
import { parseMarkdown } from "./parse-markdown.ts";

const BLOCKS: ReadonlySet<Nodes["type"]> = new Set(["paragraph", "heading", "code", "listItem", "tableCell", "html", "break"]);

/** The text of a Markdown document without its marks, for reading aloud. */
export function plainText(markdown: string): string {
  return wordsOf(parseMarkdown(markdown))
    .replaceAll(/\s*\n\s*/g, "\n")
    .trim();
}

function wordsOf(node: Nodes): string {
  const words =
    "value" in node ? node.value : "children" in node ? node.children.map(wordsOf).join("") : "alt" in node ? (node.alt ?? "") : "";
  return BLOCKS.has(node.type) ? `${words}\n` : words;
}
