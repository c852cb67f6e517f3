import { parseMarkdown } from "@factotum/channel-kit";
import type { Definition, Nodes, Root } from "mdast";

/** A parsed text: its source, and its tree with offsets into the source. */
export interface ParsedText {
  readonly source: string;
  readonly root: Root;
  readonly definitions: ReadonlyMap<string, Definition>;
}

/** An image with an address, for text without a syntax tree. */
const IMAGE = /!\[([^\]\n]*)\]\(\s*<?([^)\s>]*)>?[^)\n]*\)/g;

/** Parses a text; `undefined` if it is nested too deeply to be parsed. */
export function parseText(source: string): ParsedText | undefined {
  const root = parseMarkdown(source);
  if (root.children.some(({ position }) => position === undefined)) return undefined;
  const definitions = new Map<string, Definition>();
  const rest: Nodes[] = root.children.toReversed();
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    if (node.type === "definition" && !definitions.has(node.identifier)) definitions.set(node.identifier, node);
    if ("children" in node) rest.push(...node.children.toReversed());
  }
  return { source, root, definitions };
}

/**
 * Rewrites Markdown that Feishu's `md` element does not support, and keeps every other character: headings become small ones, tables and indented code become
 * fenced blocks, images and references become plain links. `renderLiteral` rewrites text outside code and addresses.
 */
export function renderParsed({ source, root, definitions }: ParsedText, renderLiteral: (text: string) => string): string {
  return new Rewriter(source, { definitions, renderLiteral }).inside(root);
}

/** The same for a text without a tree: only images are rewritten, because a message with one is refused. */
export function renderUnparsed(source: string): string {
  return source.replace(IMAGE, (_, alt: string, url: string) => plainLink(alt, url));
}

/** Copies nodes from the source and replaces unsupported ones. */
class Rewriter {
  readonly #source: string;
  readonly #definitions: ReadonlyMap<string, Definition>;
  readonly #renderLiteral: (text: string) => string;

  constructor(
    source: string,
    parts: { readonly definitions: ReadonlyMap<string, Definition>; readonly renderLiteral: (text: string) => string },
  ) {
    this.#source = source;
    this.#definitions = parts.definitions;
    this.#renderLiteral = parts.renderLiteral;
  }

  /** The source of a node, with its children rewritten. */
  inside(node: Nodes): string {
    const [start, end] = node.type === "root" ? [0, this.#source.length] : rangeOf(node);
    let result = "";
    let at = start;
    for (const child of "children" in node ? node.children : []) {
      // A bare address in a text has no position of its own.
      if (child.position === undefined) continue;
      const [childStart, childEnd] = rangeOf(child);
      result += this.#source.slice(at, childStart) + this.#rewrite(child, node);
      at = childEnd;
    }
    return result + this.#source.slice(at, end);
  }

  #rewrite(node: Nodes, parent: Nodes): string {
    const isBlock = parent.type === "root";
    switch (node.type) {
      case "heading":
        return `${node.depth === 1 ? "####" : "#####"} ${this.#content(node.children).replaceAll(/\s*\n\s*/g, " ")}`;
      case "image":
        // Links do not nest.
        return parent.type === "link" ? labelOf(node.alt ?? "") : plainLink(node.alt ?? "", node.url);
      case "imageReference":
        return plainLink(node.alt ?? "", this.#definitions.get(node.identifier)?.url ?? "");
      case "linkReference": {
        const url = this.#definitions.get(node.identifier)?.url;
        return url === undefined ? this.inside(node) : `[${this.#content(node.children)}](${url})`;
      }
      case "definition":
        return "";
      case "table":
        return isBlock ? fenced(this.#slice(node)) : this.inside(node);
      case "code":
        return isBlock && !/^(?:```|~~~)/.test(this.#slice(node)) ? fenced(node.value) : this.#slice(node);
      case "text":
        // A link cannot contain a mention.
        return parent.type === "link" ? this.#slice(node) : this.#renderLiteral(this.#slice(node));
      default:
        return this.inside(node);
    }
  }

  /** The children of a node, without its markup. */
  #content(children: readonly Nodes[]): string {
    const placed = children.filter(({ position }) => position !== undefined);
    const [first, last] = [placed[0], placed.at(-1)];
    if (first === undefined || last === undefined) return "";
    const position = { start: first.position?.start, end: last.position?.end };
    return this.inside({ type: "paragraph", children: placed, position } as Nodes);
  }

  #slice(node: Nodes): string {
    return this.#source.slice(...rangeOf(node));
  }
}

function rangeOf({ position }: Nodes): [number, number] {
  return [position?.start.offset ?? 0, position?.end.offset ?? 0];
}

function plainLink(alt: string, url: string): string {
  return url === "" ? labelOf(alt) : `[${labelOf(alt)}](${url})`;
}

function labelOf(alt: string): string {
  return alt.replace(/[[\]]/g, "") || "image";
}

function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}
