import type { Mention } from "@factotum/channel-contract";
import { markdownMarkup, renderMarkdown } from "@factotum/channel-kit";
import { htmlTokens } from "./html-tokens.ts";
import type { HtmlToken } from "./html-tokens.ts";
import { userOfLink } from "./user-links.ts";

/** The formatted text of a message as the contract has it. */
export interface ParsedHtml {
  readonly text: string;
  /** Everybody who is named by a link, the bot included, each once. */
  readonly mentions: readonly Required<Mention>[];
}

/** A node of the syntax tree of Markdown (mdast). */
interface Node {
  readonly type: string;
  readonly children?: Node[];
  readonly value?: string;
  readonly [detail: string]: unknown;
}

/** The tree as the kit renders it. */
type Root = Extract<Parameters<typeof renderMarkdown>[0], { readonly type: "root" }>;

type OpenTag = Extract<HtmlToken, { type: "open" }>;

/** A node with children, and the tag that closes it. */
interface Open {
  readonly tag: string;
  readonly children: Node[];
  readonly type: string;
}

/** What is collected until its tag is closed. */
interface Collected {
  readonly tag: "pre" | "code" | "mention" | "skip";
  readonly until: string;
  text: string;
  language?: string;
  readonly userId?: string;
}

const DIALECT = markdownMarkup();
const INLINE: Readonly<Record<string, "strong" | "emphasis" | "delete">> = {
  b: "strong",
  strong: "strong",
  i: "emphasis",
  em: "emphasis",
  s: "delete",
  del: "delete",
  strike: "delete",
};
const SKIPPED = ["mx-reply", "script", "style", "title", "head"];
const BLOCKS = ["p", "div", "summary", "details", "caption", "dd", "dt"];
const MAX_DEPTH = 100;
const MAX_MENTIONS = 50;

/**
 * Converts the HTML of a message to Markdown. Tags that it does not know are left out, and what they contain stays; the quoted part of a reply is dropped.
 * Without styles the text stays as it was typed. Links to `selfId` at the very beginning only address the message and are removed.
 */
export function parseHtml(html: string, { selfId }: { readonly selfId: string }): ParsedHtml {
  const builder = new TreeBuilder(selfId);
  for (const token of htmlTokens(html)) builder.add(token);
  return builder.finish();
}

class TreeBuilder {
  readonly #selfId: string;
  readonly #root: Node & { readonly children: Node[] } = { type: "root", children: [] };
  readonly #mentions = new Map<string, Required<Mention>>();
  /** Open blocks, outermost first. */
  #blocks: Open[];
  /** The block of running text, and the styles that are open in it. */
  #inlines: Open[] = [];
  #collected: Collected | undefined;
  #isStyled = false;
  #isEmpty = true;
  #dropsAddress = false;

  constructor(selfId: string) {
    this.#selfId = selfId;
    this.#blocks = [{ tag: "", type: "root", children: this.#root.children }];
  }

  add(token: HtmlToken): void {
    if (this.#collected !== undefined) this.#collect(this.#collected, token);
    else if (token.type === "text") this.#addText(token.text.replaceAll(/[ \t\r\n\f]+/g, " "));
    else if (token.type === "open") this.#open(token);
    else this.#close(token.name);
  }

  finish(): ParsedHtml {
    if (this.#collected !== undefined) this.#endCollected(this.#collected);
    prune(this.#root);
    const mentions = [...this.#mentions.values()];
    if (!this.#isStyled) return { text: plainText(this.#root).trim(), mentions };
    const [text = ""] = renderMarkdown(this.#root as unknown as Root, { dialect: DIALECT });
    return { text: text.trim(), mentions };
  }

  #collect(collected: Collected, token: HtmlToken): void {
    if (token.type === "text") collected.text += token.text;
    else if (token.type === "close" && token.name === collected.until) this.#endCollected(collected);
    else if (token.type === "open" && token.name === "br") collected.text += "\n";
    else if (token.type === "open" && token.name === "code" && collected.tag === "pre") {
      const language = /(?:^|\s)language-([\w+#.-]{1,40})/.exec(token.attributes.get("class") ?? "")?.[1];
      if (language !== undefined) collected.language = language;
    }
  }

  #endCollected({ tag, text, language, userId }: Collected): void {
    this.#collected = undefined;
    if (tag === "skip") return;
    if (tag === "mention") return this.#addMention(userId ?? "", text);
    if (text === "") return;
    this.#isStyled = true;
    this.#isEmpty = false;
    if (tag === "code") return this.#addInline({ type: "inlineCode", value: text });
    this.#addBlock({ type: "code", value: text.replace(/^\n/, "").replace(/\n$/, ""), ...(language !== undefined && { lang: language }) });
  }

  #addMention(id: string, label: string): void {
    const name = label.trim().replace(/^@/, "") || id.replace(/^@/, "");
    if (this.#mentions.size < MAX_MENTIONS && !this.#mentions.has(id)) this.#mentions.set(id, { id, name });
    if (id === this.#selfId && this.#isEmpty) {
      this.#dropsAddress = true;
      return;
    }
    this.#isEmpty = false;
    this.#addInline({ type: "text", value: `@${name}` });
  }

  #addText(text: string): void {
    const rest = this.#dropsAddress ? text.replace(/^[\s,:]+/, "") : text;
    // Space between blocks is shown nowhere.
    if (rest === "" || (this.#inlines.length === 0 && rest.trim() === "")) return;
    this.#dropsAddress = false;
    if (rest.trim() !== "") this.#isEmpty = false;
    this.#addInline({ type: "text", value: this.#inlines.length === 0 ? rest.trimStart() : rest });
  }

  #addInline(node: Node): void {
    if (this.#inlines.length === 0) this.#openText({ type: "paragraph", children: [] }, "");
    this.#inlines.at(-1)?.children.push(node);
  }

  #openText(node: Node & { readonly children: Node[] }, tag: string): void {
    this.#ensureFlow();
    this.#inlines = [{ tag, type: node.type, children: node.children }];
    this.#block.children.push(node);
  }

  #addBlock(node: Node): void {
    this.#endText();
    this.#ensureFlow();
    this.#block.children.push(node);
  }

  /** Makes the open block one that can have text: what stands between the items of a list is one, and what stands between cells is behind the table. */
  #ensureFlow(): void {
    while (this.#block.type === "table" || this.#block.type === "tableRow") this.#blocks = this.#blocks.slice(0, -1);
    if (this.#block.type === "list") this.#enter({ type: "listItem", children: [] }, "");
  }

  get #block(): Open {
    // The root is never closed.
    return this.#blocks.at(-1) ?? { tag: "", type: "root", children: this.#root.children };
  }

  #endText(): void {
    // In a table's cell the text has no end of its own.
    if (this.#block.type !== "tableCell") this.#inlines = [];
  }

  #enter(node: Node & { readonly children: Node[] }, tag: string): void {
    this.#endText();
    this.#block.children.push(node);
    this.#blocks.push({ tag, type: node.type, children: node.children });
    this.#inlines = node.type === "tableCell" ? [{ tag, type: node.type, children: node.children }] : [];
  }

  #open({ name, attributes }: OpenTag): void {
    if (SKIPPED.includes(name)) {
      this.#collected = { tag: "skip", until: name, text: "" };
      return;
    }
    if (name === "pre" && this.#block.type !== "tableCell") {
      this.#collected = { tag: "pre", until: "pre", text: "" };
      return;
    }
    if (name === "code" || name === "pre") {
      this.#collected = { tag: "code", until: name, text: "" };
      return;
    }
    if (name === "br") return this.#break();
    if (name === "img") return this.#addText(attributes.get("alt") ?? attributes.get("title") ?? "");
    if (this.#blocks.length + this.#inlines.length > MAX_DEPTH) return;
    if (!this.#openInline(name, attributes)) this.#openBlock(name, attributes);
  }

  #break(): void {
    this.#dropsAddress = false;
    if (this.#inlines.length > 0) this.#addInline({ type: "break" });
  }

  #openInline(name: string, attributes: OpenTag["attributes"]): boolean {
    const style = INLINE[name];
    if (style === undefined && name !== "a") return false;
    const url = attributes.get("href") ?? "";
    const userId = userOfLink(url);
    if (userId !== undefined) {
      this.#collected = { tag: "mention", until: "a", text: "", userId };
      return true;
    }
    const children: Node[] = [];
    this.#isStyled = true;
    this.#addInline(style === undefined ? { type: "link", url, children } : { type: style, children });
    this.#inlines.push({ tag: name, type: style ?? "link", children });
    return true;
  }

  #openBlock(name: string, attributes: OpenTag["attributes"]): void {
    if (this.#block.type === "tableCell" && !["td", "th", "tr", "table"].includes(name)) return;
    const heading = /^h([1-6])$/.exec(name)?.[1];
    if (heading !== undefined) {
      this.#endText();
      this.#isStyled = true;
      return this.#openText({ type: "heading", depth: Number(heading), children: [] }, name);
    }
    if (BLOCKS.includes(name)) return this.#endText();
    if (name === "hr") {
      this.#isStyled = true;
      return this.#addBlock({ type: "thematicBreak" });
    }
    const node = this.#blockNode(name, attributes);
    if (node === undefined) return;
    this.#isStyled = true;
    if (["blockquote", "list", "table"].includes(node.type)) this.#ensureFlow();
    this.#enter(node, name);
  }

  #blockNode(name: string, attributes: OpenTag["attributes"]): (Node & { readonly children: Node[] }) | undefined {
    const { type } = this.#block;
    switch (name) {
      case "blockquote":
        return { type: "blockquote", children: [] };
      case "ul":
        return { type: "list", ordered: false, children: [] };
      case "ol": {
        const start = Number(attributes.get("start") ?? 1);
        return { type: "list", ordered: true, start: Number.isSafeInteger(start) && start >= 0 ? start : 1, children: [] };
      }
      case "li":
        return type === "list" ? { type: "listItem", children: [] } : undefined;
      case "table":
        return type.startsWith("table") ? undefined : { type: "table", children: [] };
      case "tr":
        return type === "table" ? { type: "tableRow", children: [] } : undefined;
      case "td":
      case "th":
        return type === "tableRow" ? { type: "tableCell", children: [] } : undefined;
      default:
        return undefined;
    }
  }

  #close(name: string): void {
    const inline = this.#inlines.findLastIndex(({ tag }) => tag === name);
    if (inline > 0) {
      this.#inlines = this.#inlines.slice(0, inline);
      return;
    }
    if (BLOCKS.includes(name) || /^h[1-6]$/.test(name)) return this.#endText();
    const block = this.#blocks.findLastIndex(({ tag }) => tag === name);
    if (block <= 0) return;
    this.#blocks = this.#blocks.slice(0, block);
    this.#inlines = [];
  }
}

/** Removes lists and tables without content, which Markdown cannot show. */
function prune({ children }: Node): void {
  if (children === undefined) return;
  for (const child of children) prune(child);
  const kept = children.filter((child) => !["list", "table", "tableRow"].includes(child.type) || child.children?.length !== 0);
  children.splice(0, children.length, ...kept);
}

/** The characters of paragraphs without styles. */
function plainText({ children = [] }: Node): string {
  return children
    .map(({ children: texts = [] }) =>
      texts
        .map(({ value = "\n" }) => value)
        .join("")
        .replaceAll(/ *\n */g, "\n")
        .trim(),
    )
    .filter((text) => text !== "")
    .join("\n\n");
}
