import type { Markdown } from "@factotum/channel-contract";
import { markdownMarkup } from "../dialects/markdown-markup.ts";
import { renderMarkdown } from "../render/render-markdown.ts";
import { cleanText, codeSpan, LINKABLE, longestRun } from "./flatten-markdown.ts";
import type { Piece, Span } from "./piece.ts";

/** How a part of a text is shown. */
export type EntityStyle =
  | { readonly type: "strong" | "emphasis" | "strikethrough" | "code" | "quote" }
  | { readonly type: "code-block"; readonly language?: string }
  /** Without `url` the text is the address. Only http, https, mailto and tel become links. */
  | { readonly type: "link"; readonly url?: string }
  /** A person, named with or without an `@`. */
  | { readonly type: "mention" };

/** A part of a text with its style. Entities may nest and overlap, in any order. */
export interface TextEntity {
  /** Start in the text, in UTF-16 units. */
  readonly offset: number;
  /** In UTF-16 units. What lies outside the text is ignored; half a surrogate pair is completed. */
  readonly length: number;
  readonly style: EntityStyle;
}

/** A part of a text, from `start` to before `end`. */
interface Range {
  readonly start: number;
  readonly end: number;
}

interface StyledRange extends Range {
  readonly style: EntityStyle;
}

const DIALECT = markdownMarkup();
const EXIT: Piece = { type: "exit" };
const NEW_PARAGRAPH: Piece = { type: "break", kind: "paragraph" };

/**
 * Converts a text with entities to the contract's Markdown: parsed, it shows the same characters in the same styles. Quotes and code blocks stand in paragraphs
 * of their own. Within a code block there are no other styles, and of overlapping code blocks or links the first counts.
 */
export function parseEntities(text: string, entities: readonly TextEntity[]): Markdown {
  const ranges = entities
    .flatMap((entity) => toRange(entity, text))
    .toSorted((left, right) => left.start - right.start || right.end - left.end);
  const of = (type: EntityStyle["type"]): StyledRange[] => ranges.filter(({ style }) => style.type === type);
  const blocks: Blocks = { quotes: merged(of("quote")), code: exclusive(of("code-block")) };
  const inline = [
    ...(["strong", "emphasis", "strikethrough", "code"] as const).flatMap((type) => merged(of(type))),
    ...exclusive(of("link")),
    ...exclusive(of("mention")),
  ];
  const [markdown = ""] = renderMarkdown(piecesOf(text, blocks, inline), { dialect: DIALECT });
  return markdown;
}

interface Blocks {
  readonly quotes: readonly StyledRange[];
  readonly code: readonly StyledRange[];
}

function toRange({ offset, length, style }: TextEntity, text: string): StyledRange[] {
  if (!Number.isSafeInteger(offset) || !Number.isSafeInteger(length)) return [];
  const [first, last] = [Math.max(0, offset), Math.min(text.length, offset + length)];
  const isInside = (at: number): boolean => /^[\uDC00-\uDFFF]/.test(text.slice(at)) && /[\uD800-\uDBFF]$/.test(text.slice(0, at));
  const [start, end] = [isInside(first) ? first - 1 : first, isInside(last) ? last + 1 : last];
  return first < last ? [{ start, end, style }] : [];
}

/** Sorted ranges of one style, joined where they touch. */
function merged(ranges: readonly StyledRange[]): StyledRange[] {
  const result: StyledRange[] = [];
  for (const range of ranges) {
    const last = result.at(-1);
    if (last === undefined || last.end < range.start) result.push(range);
    else result[result.length - 1] = { ...last, end: Math.max(last.end, range.end) };
  }
  return result;
}

/** Sorted ranges without what overlaps an earlier one. */
function exclusive(ranges: readonly StyledRange[]): StyledRange[] {
  const result: StyledRange[] = [];
  for (const range of ranges) {
    const start = Math.max(range.start, result.at(-1)?.end ?? 0);
    if (start < range.end) result.push({ ...range, start });
  }
  return result;
}

function piecesOf(text: string, { quotes, code }: Blocks, inline: readonly StyledRange[]): Piece[] {
  const blocksIn = (whole: Range): Piece[] =>
    joined(
      partsOf(whole, code).map(({ part, range }) =>
        range === undefined ? paragraphs(text, part, inline) : codeBlock(text.slice(part.start, part.end), range.style),
      ),
    );
  return joined(
    partsOf({ start: 0, end: text.length }, quotes).map(({ part, range }) => {
      const pieces = blocksIn(part);
      return range === undefined || pieces.length === 0 ? pieces : [{ type: "enter", span: { type: "quote" } }, ...pieces, EXIT];
    }),
  );
}

/** Blocks with a paragraph break between them. */
function joined(blocks: readonly Piece[][]): Piece[] {
  return blocks.filter(({ length }) => length > 0).flatMap((pieces, index) => (index === 0 ? pieces : [NEW_PARAGRAPH, ...pieces]));
}

/** Cuts a range at the edges of others, which do not overlap. */
function partsOf(whole: Range, ranges: readonly StyledRange[]): { readonly part: Range; readonly range?: StyledRange }[] {
  const parts: { part: Range; range?: StyledRange }[] = [];
  let at = whole.start;
  for (const range of ranges) {
    const part = { start: Math.max(range.start, whole.start), end: Math.min(range.end, whole.end) };
    if (part.start >= part.end) continue;
    if (at < part.start) parts.push({ part: { start: at, end: part.start } });
    parts.push({ part, range });
    at = part.end;
  }
  if (at < whole.end) parts.push({ part: { start: at, end: whole.end } });
  return parts;
}

function codeBlock(code: string, style: EntityStyle): Piece[] {
  const language = style.type === "code-block" ? style.language?.replaceAll(/[^\w+#.-]/g, "") : undefined;
  const value = cleanText(code).replace(/^\n+|\n+$/g, "");
  const lines = value
    .split("\n")
    .flatMap((line, index): Piece[] => [...(index === 0 ? [] : [{ type: "break", kind: "line" } as const]), { type: "text", text: line }]);
  const span: Span = { type: "code-block", ...(language !== undefined && language !== "" && { language }), backticks: longestRun(value) };
  return value.trim() === "" ? [] : [{ type: "enter", span }, ...lines, EXIT];
}

/** The paragraphs of a part, which blank lines separate. */
function paragraphs(text: string, { start, end }: Range, inline: readonly StyledRange[]): Piece[] {
  const result: Piece[][] = [];
  let lines: Piece[][] = [];
  const close = (): void => {
    if (lines.length === 0) return;
    const pieces = lines.flatMap((line, index) => (index === 0 ? line : [{ type: "break", kind: "line" } as const, ...line]));
    result.push([{ type: "enter", span: { type: "paragraph" } }, ...pieces, EXIT]);
    lines = [];
  };
  for (const { 0: line, index } of text.slice(start, end).matchAll(/[^\r\n]+|\r\n?|\n/g)) {
    if (/[\r\n]/.test(line)) {
      // The end of a blank line.
      if (/(?:^|[\r\n])[^\S\r\n]*$/.test(text.slice(start, start + index))) close();
      continue;
    }
    // Markdown shows no white space at the edges of a line.
    const first = start + index + (line.length - line.trimStart().length);
    const pieces = styledLine(text, { start: first, end: first + line.trim().length }, inline);
    if (pieces.some(({ type }) => type === "text")) lines.push(pieces);
  }
  close();
  return joined(result);
}

function styledLine(text: string, line: Range, inline: readonly StyledRange[]): Piece[] {
  const here = inline
    .flatMap((range) => clipped(range, line, text))
    .toSorted((left, right) => rank(left) - rank(right) || left.start - right.start || right.end - left.end);
  const edges = [...new Set([line.start, line.end, ...here.flatMap(({ start, end }) => [start, end])])].toSorted(
    (left, right) => left - right,
  );
  const spans = here.filter((range) => spanOf(range, text, range) !== undefined);
  const pieces: Piece[] = [];
  let open: readonly StyledRange[] = [];
  let pending = "";
  const flush = (): void => {
    if (pending !== "") pieces.push({ type: "text", text: pending });
    pending = "";
  };
  for (const [index, start] of edges.entries()) {
    const wanted = spansAt(start, spans);
    const kept = open.findIndex((range, depth) => range !== wanted[depth]);
    const depth = kept === -1 ? open.length : kept;
    if (depth < open.length || depth < wanted.length) flush();
    for (let count = open.length; count > depth; count -= 1) pieces.push(EXIT);
    const end = edges.find((edge) => edge > start && spansAt(edge, spans).some((range, at) => range !== wanted[at]));
    for (const range of wanted.slice(depth)) {
      const span = spanOf(range, text, { start, end: Math.min(range.end, end ?? range.end) });
      if (span !== undefined) pieces.push({ type: "enter", span });
    }
    open = wanted;
    const isNamed = here.some((range) => range.style.type === "mention" && range.start === start && text.charAt(start) !== "@");
    pending += cleanText(`${isNamed ? "@" : ""}${text.slice(start, edges[index + 1] ?? start)}`);
  }
  flush();
  return pieces;
}

/** The part of a range on a line, without white space at its edges, which cannot have a style. */
function clipped(range: StyledRange, line: Range, text: string): StyledRange[] {
  const [first, last] = [Math.max(range.start, line.start), Math.min(range.end, line.end)];
  const part = text.slice(first, Math.max(first, last));
  const start = first + (part.length - part.trimStart().length);
  return part.trim() === "" ? [] : [{ ...range, start, end: start + part.trim().length }];
}

/** The ranges that are spans at a position, outermost first. */
function spansAt(at: number, spans: readonly StyledRange[]): readonly StyledRange[] {
  return spans.filter(({ start, end }) => start <= at && at < end);
}

/** Code stands inside all other styles, links stand outside. */
function rank({ style }: StyledRange): number {
  return style.type === "link" ? 0 : style.type === "code" ? 2 : 1;
}

/** The span of a range, of which `part` is entered. */
function spanOf({ style, ...range }: StyledRange, text: string, part: Range): Span | undefined {
  switch (style.type) {
    case "strong":
    case "emphasis":
    case "strikethrough":
      return { type: style.type };
    case "code":
      return codeSpan(cleanText(text.slice(part.start, part.end)));
    case "link":
      return linkSpan(text.slice(range.start, range.end), style.url);
    case "quote":
    case "code-block":
    case "mention":
      return undefined;
  }
}

function linkSpan(text: string, url: string | undefined): Span | undefined {
  const address = url ?? (LINKABLE.test(text) ? text : text.includes("@") ? `mailto:${text}` : `http://${text}`);
  if (!LINKABLE.test(address) || !URL.canParse(address)) return undefined;
  return { type: "link", url: /[\s<>\p{Cc}]/u.test(address) ? new URL(address).href : address };
}
