import type { Nodes, Root, RootContent } from "mdast";
import { fromMarkdown } from "mdast-util-from-markdown";
import { gfmFromMarkdown } from "mdast-util-gfm";
import { cjkFriendlyExtension } from "micromark-extension-cjk-friendly";
import { gfmStrikethroughCjkFriendly } from "micromark-extension-cjk-friendly-gfm-strikethrough";
import { gfm } from "micromark-extension-gfm";
import { hasTangledMarks } from "./has-tangled-marks.ts";
import { keepNames } from "./keep-names.ts";
import { splitSource } from "./split-source.ts";

/** Chinese and Japanese have no spaces around marks, and models write `**注意：**请` for bold: the extensions read it as meant. */
const SYNTAX = {
  extensions: [gfm(), cjkFriendlyExtension(), gfmStrikethroughCjkFriendly()],
  mdastExtensions: [gfmFromMarkdown()],
};

/** The same with `*`, `_` and `~` as characters. */
const LITERAL_MARKS = { ...SYNTAX, extensions: [...SYNTAX.extensions, { disable: { null: ["attention", "strikethrough"] } }] };

/** Quotes and list items within each other on one line, beyond what people write: the parser's time grows with the square of the depth. */
const TOO_DEEP = /^(?:[ \t]*(?:>|(?:[-+*]|\d{1,9}[.)])[ \t])){50}/m;

/**
 * Parses Markdown as the contract defines it (CommonMark with GitHub's extensions); `__a_name__` is no emphasis, but the name. Every text is valid; one nested too deeply becomes a paragraph of literal
 * text. Time is linear: a long text is parsed in parts that end between two blocks; a block of more than 8,000 characters is parsed in parts too, of which
 * those of a paragraph are joined. Marks of emphasis that would take too long to pair stay text.
 * Offsets in the tree are those of `source`.
 */
export function parseMarkdown(source: string): Root {
  const { segments, definitions } = splitSource(source);
  const children: RootContent[] = [];
  for (const { start, end } of segments) {
    const segment = source.slice(start, end);
    // A reference and its definition can be in different parts.
    const root = parseSegment(segment.includes("]") ? `${segment}${definitions}` : segment);
    const own = root.children.filter(({ position }) => (position?.start.offset ?? 0) < segment.length);
    if (start > 0) shift(own, start);
    if (continuesParagraph(children.at(-1), own[0], source)) own.shift();
    children.push(...own);
  }
  return { type: "root", children };
}

/** Appends a paragraph to the one that a cut separated it from, with the spaces or the line end between them; false if they are two. */
function continuesParagraph(before: RootContent | undefined, after: RootContent | undefined, source: string): boolean {
  if (before?.type !== "paragraph" || after?.type !== "paragraph") return false;
  const [end, start] = [before.position?.end.offset, after.position?.start.offset];
  if (before.position === undefined || after.position === undefined || end === undefined || start === undefined) return false;
  const gap = source.slice(end, start);
  if (/\n[^\S\n]*\n/.test(gap)) return false;
  const value = gap.includes("\n") ? "\n" : gap;
  if (value !== "") before.children.push({ type: "text", value, position: { start: before.position.end, end: after.position.start } });
  before.children.push(...after.children);
  before.position.end = after.position.end;
  return true;
}

function parseSegment(segment: string): Root {
  if (TOO_DEEP.test(segment)) return literal(segment);
  try {
    return keepNames(fromMarkdown(segment, hasTangledMarks(segment) ? LITERAL_MARKS : SYNTAX), segment);
  } catch (cause) {
    if (cause instanceof RangeError) return literal(segment);
    throw cause;
  }
}

function literal(value: string): Root {
  return { type: "root", children: [{ type: "paragraph", children: [{ type: "text", value }] }] };
}

function shift(nodes: readonly Nodes[], by: number): void {
  const rest = [...nodes];
  for (let node = rest.pop(); node !== undefined; node = rest.pop()) {
    const { position } = node;
    if (position?.start.offset !== undefined) position.start.offset += by;
    if (position?.end.offset !== undefined) position.end.offset += by;
    if ("children" in node) for (const child of node.children) rest.push(child);
  }
}
