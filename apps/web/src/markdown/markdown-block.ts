import type { Definition, FootnoteDefinition, Nodes, Root, RootContent } from "mdast";
import { splitLines } from "./split-lines.ts";

/** A top-level block. Immutable: the same object is rendered the same. */
export type MarkdownBlock =
  | { readonly type: "node"; readonly node: RootContent }
  | { readonly type: "code"; readonly language?: string | undefined; readonly chunks: readonly string[]; readonly complete: boolean };

/** The targets of `[text][name]`, by identifier. */
export type Definitions = ReadonlyMap<string, Definition>;

/** A text as blocks. */
export interface MarkdownLayout {
  readonly blocks: readonly MarkdownBlock[];
  readonly definitions: Definitions;
}

/** The block of a top-level node. */
export function toBlock(node: RootContent): MarkdownBlock {
  if (node.type !== "code") return { type: "node", node };
  return { type: "code", language: node.lang ?? undefined, chunks: splitLines(node.value), complete: true };
}

/** A complete text. */
export function layoutMarkdown(root: Root): MarkdownLayout {
  const found = findDefinitions(root.children);
  return { blocks: root.children.map(toBlock), definitions: new Map(found.links.map((link) => [link.identifier, link])) };
}

/** The definitions in nodes, in order; the first of several with one name wins. */
export function findDefinitions(nodes: readonly Nodes[]): {
  readonly links: readonly Definition[];
  readonly notes: readonly FootnoteDefinition[];
} {
  const links = new Map<string, Definition>();
  const notes = new Map<string, FootnoteDefinition>();
  const visit = (node: Nodes): void => {
    if (node.type === "definition" && !links.has(node.identifier)) links.set(node.identifier, node);
    if (node.type === "footnoteDefinition" && !notes.has(node.identifier)) notes.set(node.identifier, node);
    if ("children" in node) for (const child of node.children) visit(child);
  };
  for (const node of nodes) visit(node);
  return { links: [...links.values()], notes: [...notes.values()] };
}
