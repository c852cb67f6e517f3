import { fromMarkdown } from "mdast-util-from-markdown";

/** Facts about one Markdown document for the repository's checks. */
export interface ReadDocument {
  /** Headings in order, as plain text. */
  readonly headings: readonly { readonly depth: number; readonly text: string }[];
  /** Targets of links and images, as written. */
  readonly links: readonly string[];
  /** Inline code, as written. */
  readonly codes: readonly string[];
}

interface Node {
  readonly type: string;
  readonly children?: readonly Node[];
  readonly value?: string;
  readonly url?: string;
  readonly depth?: number;
}

export function readDocument(source: string): ReadDocument {
  const nodes = flatten(fromMarkdown(source));
  const ofType = (...types: readonly string[]): Node[] => nodes.filter(({ type }) => types.includes(type));
  return {
    headings: ofType("heading").map((node) => ({ depth: node.depth ?? 0, text: textOf(node) })),
    links: ofType("link", "image", "definition").flatMap(({ url }) => url ?? []),
    codes: ofType("inlineCode").flatMap(({ value }) => value ?? []),
  };
}

function flatten(node: Node): Node[] {
  return [node, ...(node.children ?? []).flatMap(flatten)];
}

function textOf(node: Node): string {
  return node.value ?? (node.children ?? []).map(textOf).join("");
}
