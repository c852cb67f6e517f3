import type { Definition, Link, List, ListItem, Nodes, Root, Table } from "mdast";
import { parseMarkdown } from "./parse-markdown.ts";
import type { BreakKind, CellAlign, Piece, Span } from "./piece.ts";
import { tableText } from "./table-text.ts";

/** How a text is flattened. */
export interface FlattenOptions {
  /** `native`: tables are spans. `code`: they are code blocks with aligned columns. */
  readonly tables: "native" | "code";
}

/** What is known at a node of the tree. */
interface Context extends FlattenOptions {
  readonly definitions: ReadonlyMap<string, Definition>;
  /** Number of lists around it. */
  readonly level: number;
  /** Inside a heading or a table cell, which has one line. */
  readonly inLine: boolean;
}

/** A piece, or a node that is still to be visited. */
type Step = Piece | { readonly type: "visit"; readonly node: Nodes; readonly context: Context };

/** The visitor of one type of node. */
type Visitor<Node extends Nodes> = (node: Node, context: Context) => readonly Step[];

const EXIT: Piece = { type: "exit" };

/** Schemes that a message links to. Others can notify people (`tg:`) or run code (`javascript:`); they are shown as text, like relative addresses. */
export const LINKABLE: RegExp = /^(?:https?:\/\/|mailto:|tel:)/i;

const HTML_BREAK = /^<br\s*\/?>$/i;
const HTML_COMMENT = /^<!--[^]*-->$/;

/** The visitors by type of node. */
const VISITORS: { readonly [Type in Nodes["type"]]: Visitor<Extract<Nodes, { type: Type }>> } = {
  root: ({ children }, context) => blocks(children, "paragraph", context),
  paragraph: ({ children }, context) => spanned({ type: "paragraph" }, visitAll(children, context)),
  heading: ({ depth, children }, context) => spanned({ type: "heading", depth }, visitAll(children, { ...context, inLine: true })),
  blockquote: ({ children }, context) => spanned({ type: "quote" }, blocks(children, "paragraph", context)),
  thematicBreak: () => [{ type: "rule" }],
  list: visitList,
  listItem: (node, context) => visitItem(node, {}, context),
  code: ({ value, lang }) => codeBlock(value, lang ?? undefined),
  html: ({ value }, context) => {
    if (HTML_COMMENT.test(value.trim())) return [];
    return HTML_BREAK.test(value.trim()) ? lineBreak(context) : texts(value, context);
  },
  table: visitTable,
  tableRow: ({ children }, context) => visitAll(children, context),
  tableCell: ({ children }, context) => visitAll(children, context),
  definition: () => [],
  footnoteDefinition: ({ label, identifier, children }, context) => [
    { type: "text", text: `[${label ?? identifier}] ` },
    ...blocks(children, "paragraph", context),
  ],
  text: ({ value }, context) => texts(value, context),
  strong: ({ children }, context) => spanned({ type: "strong" }, visitAll(children, context)),
  emphasis: ({ children }, context) => spanned({ type: "emphasis" }, visitAll(children, context)),
  delete: ({ children }, context) => spanned({ type: "strikethrough" }, visitAll(children, context)),
  // Platforms show the delimiters around blank code.
  inlineCode: ({ value }, context) =>
    value.trim() === "" ? [{ type: "text", text: " " }] : spanned(codeSpan(value), texts(value, { ...context, inLine: true })),
  break: (_, context) => lineBreak(context),
  link: visitLink,
  linkReference: (node, context) => {
    const definition = context.definitions.get(node.identifier);
    if (definition === undefined) return visitAll(node.children, context);
    return visitLink({ type: "link", url: definition.url, children: node.children }, context);
  },
  image: ({ url, alt }, context) => visitImage(url, alt, context),
  imageReference: ({ identifier, alt }, context) => visitImage(context.definitions.get(identifier)?.url ?? "", alt, context),
  footnoteReference: ({ label, identifier }) => [{ type: "text", text: `[${label ?? identifier}]` }],
  yaml: ({ value }, context) => texts(value, context),
};

/**
 * The pieces of a text in reading order: the one way from Markdown to every dialect. Links by reference are resolved, addresses that a message should not link
 * to and HTML become text (`<br>` a line end), control characters are dropped. Linear; nesting costs no stack.
 */
export function flattenMarkdown(source: string | Root, options: FlattenOptions): readonly Piece[] {
  const root = typeof source === "string" ? parseMarkdown(source) : source;
  const pieces: Piece[] = [];
  const rest: Step[] = [{ type: "visit", node: root, context: { ...options, definitions: definitionsOf(root), level: 0, inLine: false } }];
  for (let step = rest.pop(); step !== undefined; step = rest.pop()) {
    if (step.type === "visit") for (const next of visit(step.node, step.context).toReversed()) rest.push(next);
    else append(pieces, step);
  }
  return pieces;
}

function visit<Node extends Nodes>(node: Node, context: Context): readonly Step[] {
  return (VISITORS[node.type] as unknown as Visitor<Node>)(node, context);
}

/** Keeps texts apart from each other by other pieces, so that a dialect sees what will stand side by side. */
function append(pieces: Piece[], piece: Piece): void {
  const last = pieces.at(-1);
  if (piece.type !== "text") pieces.push(piece);
  else if (last?.type === "text") pieces[pieces.length - 1] = { type: "text", text: last.text + piece.text };
  else if (piece.text !== "") pieces.push(piece);
}

function visitAll(nodes: readonly Nodes[], context: Context): Step[] {
  return nodes.map((node) => ({ type: "visit", node, context }));
}

function spanned(span: Span, steps: readonly Step[]): Step[] {
  return [{ type: "enter", span }, ...steps, EXIT];
}

/** Blocks one below the other. */
function blocks(nodes: readonly Nodes[], kind: BreakKind, context: Context): Step[] {
  return nodes.flatMap((node, index): Step[] => [
    ...(index === 0 ? [] : [{ type: "break", kind } as const]),
    { type: "visit", node, context },
  ]);
}

function visitList(node: List, context: Context): Step[] {
  const kind = node.spread === true ? "paragraph" : "block";
  const start = node.ordered === true ? (node.start ?? 1) : undefined;
  const inner = { ...context, level: context.level + 1 };
  const items = node.children.flatMap((item, index): Step[] => [
    ...(index === 0 ? [] : [{ type: "break", kind } as const]),
    ...visitItem(item, start === undefined ? {} : { number: start + index }, inner),
  ]);
  return spanned({ type: "list", ...(start !== undefined && { start }) }, items);
}

function visitItem({ checked, spread, children }: ListItem, numbering: { readonly number?: number }, context: Context): Step[] {
  const isTask = checked !== null && checked !== undefined;
  const span: Span = { type: "item", level: Math.max(context.level - 1, 0), ...numbering, ...(isTask && { checked }) };
  if (spread === true) return spanned(span, blocks(children, "paragraph", context));
  // The text of a tight item is no paragraph of its own.
  const steps = children.flatMap((child, index): Step[] => [
    ...(index === 0 ? [] : [{ type: "break", kind: "block" } as const]),
    ...(child.type === "paragraph" ? visitAll(child.children, context) : visitAll([child], context)),
  ]);
  return spanned(span, steps);
}

function visitTable(node: Table, context: Context): Step[] {
  const width = Math.max(...node.children.map(({ children }) => children.length));
  const columns = Array.from({ length: width }, (_, index): CellAlign => node.align?.[index] ?? "none");
  const inner: Context = { ...context, inLine: true };
  if (context.tables === "code") {
    const rows = node.children.map(({ children }) => columns.map((_, index) => cellText(children[index], inner)));
    return codeBlock(tableText(rows, columns), undefined);
  }
  const rows = node.children.flatMap(({ children }, rowIndex): Step[] => {
    const head = rowIndex === 0;
    const cells = columns.flatMap((align, index) => {
      const cell = children[index];
      return spanned({ type: "cell", head, align }, cell === undefined ? [] : visitAll([cell], inner));
    });
    return [
      ...(head ? [] : [{ type: "break", kind: "block" } as const]),
      ...spanned({ type: "row", ...(head && { head: columns }) }, cells),
    ];
  });
  return spanned({ type: "table", columns }, rows);
}

/** The text of a cell without its styles. */
function cellText(cell: Nodes | undefined, context: Context): string {
  if (cell === undefined) return "";
  let text = "";
  const rest: Step[] = visitAll([cell], context);
  for (let step = rest.pop(); step !== undefined; step = rest.pop()) {
    if (step.type === "visit") for (const next of visit(step.node, step.context).toReversed()) rest.push(next);
    else if (step.type === "text") text += step.text;
  }
  return text.trim();
}

function visitLink({ url, children }: Link, context: Context): Step[] {
  const bare = bareKind(url, plainTextOf(children));
  if (LINKABLE.test(url)) return spanned({ type: "link", url, ...(bare !== undefined && { bare }) }, visitAll(children, context));
  return [...visitAll(children, context), ...(url === "" || bare !== undefined ? [] : texts(` (${url})`, context))];
}

function bareKind(url: string, text: string | undefined): "full" | "short" | undefined {
  if (text === url) return "full";
  return text !== undefined && [`mailto:${text}`, `http://${text}`].includes(url) ? "short" : undefined;
}

function visitImage(url: string, alt: string | null | undefined, context: Context): Step[] {
  const label = texts(alt?.trim() || "image", { ...context, inLine: true });
  if (LINKABLE.test(url)) return spanned({ type: "image", url }, label);
  return [...label, ...(url === "" ? [] : texts(` (${url})`, context))];
}

/** The text of nodes that are nothing but text. */
function plainTextOf(nodes: readonly Nodes[]): string | undefined {
  const [node] = nodes;
  return nodes.length === 1 && node?.type === "text" ? node.value : undefined;
}

/** Inline code. */
export function codeSpan(value: string): Span {
  return { type: "code", backticks: longestRun(value), padded: /^`|`$|^ .*\S.* $/s.test(value) };
}

function codeBlock(value: string, language: string | undefined): Step[] {
  const name = language?.replaceAll(/[^\w+#.-]/g, "");
  const lines = cleanText(value)
    .split("\n")
    .flatMap((text, index): Step[] => [...(index === 0 ? [] : [{ type: "break", kind: "line" } as const]), { type: "text", text }]);
  return spanned({ type: "code-block", ...(name !== undefined && name !== "" && { language: name }), backticks: longestRun(value) }, lines);
}

function texts(value: string, context: Context): Step[] {
  return cleanText(value)
    .split("\n")
    .flatMap((text, index): Step[] => [...(index === 0 ? [] : lineBreak(context)), { type: "text", text }]);
}

function lineBreak({ inLine }: Context): Step[] {
  return inLine ? [{ type: "text", text: " " }] : [{ type: "break", kind: "line" }];
}

/** Line ends are one character, and nothing controls a terminal or a parser. */
export function cleanText(value: string): string {
  return value.replaceAll(/\r\n?/g, "\n").replaceAll(CONTROLS, "").toWellFormed();
}

/** C0 and C1 but for tab and line feed. */
// oxlint-disable-next-line no-control-regex -- these are meant
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/** Length of the longest run of backticks. */
export function longestRun(text: string): number {
  return Iterator.from(text.matchAll(/`+/g)).reduce((longest, [run]) => Math.max(longest, run.length), 0);
}

/** Definitions by identifier; of several with one name the first counts. */
function definitionsOf(root: Root): ReadonlyMap<string, Definition> {
  const definitions = new Map<string, Definition>();
  const rest: Nodes[] = [root];
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    if (node.type === "definition" && !definitions.has(node.identifier)) definitions.set(node.identifier, node);
    if ("children" in node) for (const child of node.children.toReversed()) rest.push(child);
  }
  return definitions;
}
