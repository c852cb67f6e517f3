import { parseMarkdown, plainText, renderMarkdown } from "@factotum/channel-kit";
import type { Definition, Nodes, Root, Table } from "mdast";

/** A parsed text: its source, and its tree with offsets into the source. */
export interface ParsedText {
  readonly source: string;
  readonly root: Root;
  readonly definitions: ReadonlyMap<string, Definition>;
}

const LINKABLE = /^(?:https?:\/\/|mailto:|tel:)/i;
const ENCODED: Readonly<Record<string, string>> = { "(": "%28", ")": "%29" };

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
  /** Number of links around the node. */
  #links = 0;

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
        return this.#image(node.alt ?? "", node.url);
      case "imageReference":
        return this.#image(node.alt ?? "", this.#definitions.get(node.identifier)?.url ?? "");
      case "link":
        return this.#inLink(() => this.inside(node));
      case "linkReference": {
        const url = this.#definitions.get(node.identifier)?.url;
        if (url === undefined) return this.inside(node);
        const label = this.#inLink(() => this.#content(node.children));
        // A link keeps the delimiters in its label apart from those around it.
        return url === "" ? label : /[\s<>()]/.test(url) ? linkTo(label, url) : `[${label}](${url})`;
      }
      case "definition":
        return "";
      case "table":
        return isBlock ? fenced(tableText(node)) : this.inside(node);
      case "code":
        return isBlock && !/^(?:```|~~~)/.test(this.#slice(node)) ? fenced(node.value) : this.#slice(node);
      case "text":
        // A link cannot contain a mention.
        return this.#links > 0 ? this.#slice(node) : this.#renderLiteral(this.#slice(node));
      default:
        return this.inside(node);
    }
  }

  /** Links do not nest. */
  #image(alt: string, url: string): string {
    return this.#links > 0 && LINKABLE.test(url) ? labelOf(alt) : plainLink(alt, url);
  }

  #inLink(render: () => string): string {
    this.#links += 1;
    try {
      return render();
    } finally {
      this.#links -= 1;
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
  return url === "" ? labelOf(alt) : linkTo(labelOf(alt), url);
}

/** An address that a message should not link to is text, as in every dialect of the kit. */
function linkTo(label: string, url: string): string {
  if (!LINKABLE.test(url)) return `${label} (${url})`;
  return `[${label}](${encoded(url)})`;
}

function encoded(url: string): string {
  return url.replaceAll(/[\s<>()]/g, (character) => ENCODED[character] ?? encodeURIComponent(character));
}

function labelOf(alt: string): string {
  return alt.trim().replaceAll("[", "&#91;").replaceAll("]", "&#93;") || "image";
}

/** Aligned columns. */
function tableText(table: Table): string {
  return renderMarkdown({ type: "root", children: [table] }, { dialect: plainText() }).join("\n");
}

function fenced(text: string): string {
  const longest = Math.max(2, ...Array.from(text.matchAll(/`+/g), ([run]) => run.length));
  const fence = "`".repeat(longest + 1);
  return `${fence}\n${text.trimEnd()}\n${fence}`;
}
