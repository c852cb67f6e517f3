import { memo, useMemo, useState } from "react";
import { CodeBlock } from "./code-block.tsx";
import { type Definitions, layoutMarkdown, type MarkdownBlock, type MarkdownLayout } from "./markdown-block.ts";
import { MarkdownNode } from "./markdown-node.tsx";
import { MarkdownStream } from "./markdown-stream.ts";
import { parseMarkdown } from "./parse-markdown.ts";
import { useRepair } from "./use-repair.ts";

interface MarkdownProps {
  readonly text: string;
  /** The text is being written: only its end is parsed again with each update, and unclosed marks there count as closed. */
  readonly live?: boolean;
}

/** Renders the assistant's Markdown (GitHub's dialect) as elements. Nothing is inserted as HTML, and nothing is fetched. */
export const Markdown: React.NamedExoticComponent<MarkdownProps> = memo(function Markdown({ text, live = false }: MarkdownProps) {
  // A text that was seen streaming is finished in place: its blocks stay the ones that were drawn.
  const [stream] = useState(() => (live ? new MarkdownStream({ parse: parseMarkdown }) : undefined));
  const repair = useRepair(live);
  const layout = useMemo(() => {
    if (stream === undefined) return layoutMarkdown(parseMarkdown(text));
    return live ? stream.update(text, repair) : stream.finish(text);
  }, [stream, text, live, repair]);
  return (
    <div className="prose">
      <MarkdownBlocks layout={layout} />
    </div>
  );
});

/** The blocks of a text. */
export function MarkdownBlocks({ layout: { blocks, definitions } }: { readonly layout: MarkdownLayout }): React.ReactNode {
  let level = 1;
  return blocks.map((block, index) => {
    const deepest = level + 1;
    if (block.type === "node" && block.node.type === "heading") level = Math.min(block.node.depth + 1, deepest);
    // Blocks are only appended, so the index is the identity.
    return <Block key={index} block={block} definitions={definitions} level={deepest} />;
  });
}

interface BlockProps {
  readonly block: MarkdownBlock;
  readonly definitions: Definitions;
  readonly level: number;
}

/** One block, rendered again only when it changes. */
const Block: React.NamedExoticComponent<BlockProps> = memo(function Block({ block, definitions, level }: BlockProps) {
  if (block.type === "code") return <CodeBlock chunks={block.chunks} language={block.language} complete={block.complete} />;
  if (block.node.type === "html") return <p dir="auto">{block.node.value}</p>;
  return <MarkdownNode node={block.node} definitions={definitions} level={level} />;
});
