import type { Content, Frame } from "./dialect.ts";

/** The size of a text in the unit of the limit, and its line feeds. */
export interface Size {
  readonly length: number;
  readonly lines: number;
}

/** An entered span. Immutable, so that a writer can return to an earlier state. */
export interface FrameNode {
  /** `undefined` for a span without markup. */
  readonly frame: Frame | undefined;
  readonly parent: FrameNode | undefined;
  /** True if its markup has been written. */
  readonly isOpen: boolean;
  /** True if it was open in an earlier message. */
  readonly isContinued: boolean;
  readonly content: Content;
  readonly inCell: boolean;
  /** Prefix of each further line, of all frames together. */
  readonly prefix: string;
  /** Size of what closes all that is open. */
  readonly closers: Size;
  /** Size of the markup of all frames together, whether open or not. */
  readonly markup: Size;
  /** False if a frame must be opened before the next visible character. */
  readonly isReady: boolean;
}

const NOTHING: Size = { length: 0, lines: 0 };

/** Measures markup; `isVisible` if readers see it. */
export type SizeOf = (markup: string, isVisible: boolean) => Size;

/** Enters a span. */
export function pushFrame(
  parent: FrameNode | undefined,
  frame: Frame | undefined,
  options: { readonly sizeOf: SizeOf; readonly isOpen?: boolean; readonly isContinued?: boolean },
): FrameNode {
  const { sizeOf, isOpen = false, isContinued = false } = options;
  const { content = "text", inCell = false, closers = NOTHING, markup = NOTHING, isReady = true } = parent ?? {};
  const prefix = frame?.isUnindented === true ? "" : (parent?.prefix ?? "");
  if (frame === undefined) return { frame, parent, isOpen: false, isContinued, content, inCell, prefix, closers, markup, isReady };
  const isVisible = frame.visible === true;
  const close = sizeOf(indentLines(frame.close, prefix), isVisible);
  return {
    frame,
    parent,
    isOpen,
    isContinued,
    content: frame.content ?? content,
    inCell: frame.isCell ?? inCell,
    prefix: `${prefix}${(isContinued ? frame.continued : undefined)?.prefix ?? frame.prefix ?? ""}`,
    closers: isOpen ? add(closers, close) : closers,
    markup: add(add(markup, close), add(sizeOf(indentLines(frame.open, prefix), isVisible), sizeOf(frame.prefix ?? "", true))),
    isReady: isOpen && (frame.exclusive === true || isReady),
  };
}

/** True if a frame with this key is entered. */
export function hasKey(node: FrameNode | undefined, key: string | undefined): boolean {
  if (key === undefined) return false;
  for (let at = node; at !== undefined; at = at.parent) if (at.frame?.key === key) return true;
  return false;
}

/** The entered spans from the outermost to the innermost. */
export function framesOf(node: FrameNode | undefined): FrameNode[] {
  const nodes: FrameNode[] = [];
  for (let at = node; at !== undefined; at = at.parent) nodes.push(at);
  return nodes.toReversed();
}

/** Adds the prefix of further lines. */
export function indentLines(text: string, prefix: string): string {
  return prefix === "" ? text : text.replaceAll("\n", `\n${prefix}`);
}

/** The sum of two sizes. */
export function add(left: Size, right: Size): Size {
  return { length: left.length + right.length, lines: left.lines + right.lines };
}
