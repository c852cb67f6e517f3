import type { Definition, Root, RootContent } from "mdast";
import { GrowingFence, openingLine } from "./growing-fence.ts";
import { findDefinitions, type MarkdownBlock, type MarkdownLayout, toBlock } from "./markdown-block.ts";

/** Functions that tests replace to count calls. */
interface MarkdownStreamOptions {
  readonly parse: (text: string) => Root;
}

/** Closes unclosed marks at the end of a text, such as `**bo`. */
type Repair = (text: string) => string;

interface Settled {
  readonly source: string;
  block: MarkdownBlock;
}

/** Definitions that a separately parsed part needs. */
interface Prefix {
  readonly text: string;
  readonly nodes: number;
}

const NO_PREFIX: Prefix = { text: "", nodes: 0 };

/**
 * Lays out a growing text. A top-level block is settled once a later line has started another one: Markdown never changes it afterwards, so it is not parsed
 * again and keeps its object. Only the last block is parsed with each update; a fence at the left edge is not parsed at all, and its lines are scanned once. A
 * definition (`[name]: …`, `[^1]: …`) changes only the blocks that refer to it.
 */
export class MarkdownStream {
  readonly #options: MarkdownStreamOptions;
  #text = "";
  #settled: Settled[] = [];
  /** Offset of the last block. */
  #start = 0;
  /** Offset up to which complete lines were scanned. */
  #seen = 0;
  #fence: { readonly language: string | undefined; readonly lines: GrowingFence } | undefined;
  #links: ReadonlyMap<string, Definition> = new Map<string, Definition>();
  #notes: ReadonlySet<string> = new Set<string>();

  constructor(options: MarkdownStreamOptions) {
    this.#options = options;
  }

  /** Lays out a text, without a repair as it is written. One that does not continue the previous text is laid out from the start. */
  update(written: string, repair?: Repair): MarkdownLayout {
    this.#take(normalize(written));
    return this.#layout(this.#drawEnd(repair));
  }

  /** The layout of a complete text. Blocks that were drawn while it streamed stay the same objects. */
  finish(written: string): MarkdownLayout {
    const text = normalize(written);
    // A complete text comes without the empty lines at its end.
    const isKnown = this.#fence === undefined && this.#text.startsWith(text) && this.#text.slice(text.length).trim() === "";
    if (!isKnown) this.#take(text);
    // A line that was held back because it might close the fence is complete now.
    if (this.#fence !== undefined && !text.endsWith("\n")) this.#take(`${text}\n`);
    if (this.#fence === undefined) {
      const { nodes } = this.#parse(text.slice(this.#start));
      this.#define(nodes);
      return this.#layout(nodes.map(toBlock));
    }
    const { language, lines } = this.#fence;
    return this.#layout([{ type: "code", language, chunks: lines.chunks(""), complete: true }]);
  }

  #take(text: string): void {
    if (!text.startsWith(this.#text)) this.#reset();
    this.#text = text;
    const end = text.lastIndexOf("\n") + 1;
    if (end > this.#seen) this.#settle(end);
  }

  #layout(end: readonly MarkdownBlock[]): MarkdownLayout {
    return { blocks: [...this.#settled.map(({ block }) => block), ...end], definitions: this.#links };
  }

  #reset(): void {
    this.#settled = [];
    this.#start = 0;
    this.#seen = 0;
    this.#fence = undefined;
    this.#links = new Map();
    this.#notes = new Set();
  }

  /** Settles blocks up to the complete lines at `end`. */
  #settle(end: number): void {
    for (;;) {
      if (this.#fence !== undefined) {
        const { position, closed } = this.#fence.lines.takeLines(this.#text, { start: this.#seen, end });
        this.#seen = position;
        if (!closed) return;
        const { language, lines } = this.#fence;
        this.#settled.push({ source: "", block: { type: "code", language, chunks: lines.chunks(""), complete: true } });
        this.#fence = undefined;
        this.#start = position;
      }
      this.#start += /^(?:[ \t]*\n)*/.exec(this.#text.slice(this.#start, end))?.[0].length ?? 0;
      const opening = openingLine(this.#text.slice(this.#start, end));
      if (opening !== undefined) {
        this.#openFence(opening);
        continue;
      }
      if (this.#start < end) this.#settleBlocks(end);
      this.#seen = end;
      if (openingLine(this.#text.slice(this.#start, end)) === undefined) return;
    }
  }

  #openFence(opening: string): void {
    const [node] = this.#options.parse(opening).children;
    this.#fence = { language: node?.type === "code" ? (node.lang ?? undefined) : undefined, lines: new GrowingFence(opening) };
    this.#seen = this.#start + opening.length;
  }

  /** Parses the end of the text and settles all but its last block. */
  #settleBlocks(end: number): void {
    const source = this.#text.slice(this.#start, end);
    const { nodes, offset } = this.#parse(source);
    const startOf = (node: RootContent | undefined): number =>
      node === undefined ? source.length : source.lastIndexOf("\n", (node.position?.start.offset ?? offset) - offset - 1) + 1;
    this.#define(nodes);
    let last = nodes.length - 1;
    while (last > 0 && isOpen(nodes[last - 1], source.slice(startOf(nodes[last - 1]), startOf(nodes[last])))) last -= 1;
    if (last <= 0) return;
    for (const [index, node] of nodes.slice(0, last).entries()) {
      this.#settled.push({ source: source.slice(startOf(node), startOf(nodes[index + 1])), block: toBlock(node) });
    }
    this.#start += startOf(nodes[last]);
  }

  /** The unfinished block, as if the text ended here. */
  #drawEnd(repair: Repair | undefined): readonly MarkdownBlock[] {
    if (this.#fence !== undefined) {
      const { language, lines } = this.#fence;
      return [{ type: "code", language, chunks: lines.chunks(this.#text.slice(this.#seen)), complete: false }];
    }
    const rest = this.#text.slice(this.#start);
    if (rest.trim() === "") return [];
    return this.#parse(repair?.(rest) ?? rest).nodes.map(toBlock);
  }

  /** Adds definitions, and parses settled blocks again that may refer to them. */
  #define(nodes: readonly RootContent[]): void {
    const found = findDefinitions(nodes);
    const links = found.links.filter(({ identifier }) => !this.#links.has(identifier));
    const notes = found.notes.filter(({ identifier }) => !this.#notes.has(identifier));
    if (links.length === 0 && notes.length === 0) return;
    this.#links = new Map([...this.#links, ...links.map((link) => [link.identifier, link] as const)]);
    this.#notes = new Set([...this.#notes, ...notes.map(({ identifier }) => identifier)]);
    const added = [...links, ...notes].map(({ identifier }) => identifier);
    for (const settled of this.#settled) {
      if (!added.some((name) => mentions(settled.source, name))) continue;
      // A heading with a line below it may have taken definitions before it along.
      const node = this.#parse(settled.source).nodes.at(-1);
      if (node !== undefined) settled.block = toBlock(node);
    }
  }

  /** Parses a part that starts a block, with all definitions from elsewhere. */
  #parse(source: string): { readonly nodes: readonly RootContent[]; readonly offset: number } {
    const prefix = source.includes("[") ? this.#prefixFor(source) : NO_PREFIX;
    const root = this.#options.parse(prefix.text + source);
    return { nodes: root.children.slice(prefix.nodes), offset: prefix.text.length };
  }

  #prefixFor(source: string): Prefix {
    const notes = [...this.#notes].filter((name) => mentions(source, name)).map((name) => `[^${name}]: x\n\n`);
    const links = [...this.#links.keys()].filter((name) => mentions(source, name)).map((name) => `[${name}]: #\n\n`);
    if (notes.length === 0 && links.length === 0) return NO_PREFIX;
    // The comment ends the note before it.
    return { text: [...links, ...notes, "<!-- -->\n\n"].join(""), nodes: notes.length + links.length + 1 };
  }
}

/** With uniform line ends, and without empty lines at the beginning, which a complete text does not have. */
function normalize(written: string): string {
  const text = written.includes("\r") ? written.replaceAll(/\r\n?/g, "\n") : written;
  return text.startsWith("\n") || text.startsWith(" ") || text.startsWith("\t") ? text.replace(/^(?:[ \t]*\n)+/, "") : text;
}

/** True if following text may still become part of a node: `source` is the text from its first line to the beginning of the next node. */
function isOpen(node: RootContent | undefined, source: string): boolean {
  // A title may follow a definition on the next line; what the parser makes of that line depends on the line after it.
  if (node?.type === "definition") return !/\n[ \t]*\n/.test(source);
  // The parser takes a line after indented code for one that interrupts it.
  return node?.type === "code" && /^[ \t]/.test(source);
}

/** True if a text may refer to a name; identifiers are compared like in Markdown. */
function mentions(source: string, identifier: string): boolean {
  return (
    source.includes("[") &&
    source
      .replaceAll(/[\t\n\r ]+/g, " ")
      .toLowerCase()
      .toUpperCase()
      .includes(identifier.toUpperCase())
  );
}
