import type { Definition, Nodes, Root } from "mdast";
import { memo } from "react";
import { parseMarkdown } from "./parse-markdown.ts";
import { splitBlocks } from "./split-blocks.ts";
import { MarkdownNode } from "./markdown-node.tsx";

/** Draws Markdown of the assistant: GitHub's dialect, as elements. Nothing of it ever becomes HTML, and nothing is fetched. */
export const Markdown: React.NamedExoticComponent<{ readonly text: string }> = memo(function Markdown({ text }: { readonly text: string }) {
  return (
    <div className="prose">
      {splitBlocks(text).map((block, index) => (
        // Blocks are only ever added at the end, so the place is the identity.
        <MarkdownBlock key={index} text={block} />
      ))}
    </div>
  );
});

/** One part of a text, drawn again only when it changes. */
export const MarkdownBlock: React.NamedExoticComponent<{ readonly text: string }> = memo(function MarkdownBlock({
  text,
}: {
  readonly text: string;
}) {
  const root = parseMarkdown(text);
  return <MarkdownNode node={root} definitions={definitionsOf(root)} />;
});

function definitionsOf(root: Root): ReadonlyMap<string, Definition> {
  const definitions = new Map<string, Definition>();
  const visit = (node: Nodes): void => {
    if (node.type === "definition" && !definitions.has(node.identifier)) definitions.set(node.identifier, node);
    if ("children" in node) for (const child of node.children) visit(child);
  };
  visit(root);
  return definitions;
}
