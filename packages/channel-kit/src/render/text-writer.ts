import type { BreakKind } from "../markdown/piece.ts";
import { measure } from "../measure-text.ts";
import type { TextUnit } from "../measure-text.ts";
import { ZERO_WIDTH_SPACE } from "./dialect.ts";
import type { Dialect, Frame, Joint, Junction } from "./dialect.ts";
import { add, framesOf, hasKey, indentLines, pushFrame } from "./frame-stack.ts";
import type { FrameNode, Size } from "./frame-stack.ts";
import { separateMentions } from "./mentions.ts";

/** Limits of a message with their defaults. */
export interface WriterLimits {
  readonly maxLength: number;
  readonly unit: TextUnit;
  readonly maxLines: number;
}

/** A visible part of a line with what is next to it. */
export interface Word {
  readonly text: string;
  /** What stands behind it, text or markup: at least the first character, a line feed at the end. */
  readonly after: string;
}

/** A break that waits, and how often it was asked for. In code each one counts. */
interface PendingBreak {
  readonly kind: BreakKind;
  readonly count: number;
  readonly inCode: boolean;
}

/** Everything that a writer returns to when a text did not fit. */
export interface WriterState {
  /** Number of parts written. */
  readonly count: number;
  /** True if a part of it is more than white space and markup that is not seen. */
  readonly isShown: boolean;
  readonly size: Size;
  readonly stack: FrameNode | undefined;
  /** A break that is written before the next visible character. */
  readonly pendingBreak: PendingBreak | undefined;
  /** White space that is written before the next visible character of the same line. */
  readonly space: string;
  readonly lineStart: boolean;
  readonly paragraphStart: boolean;
  /** The last character written on the line, of text or markup. */
  readonly before: string;
  /** The last characters of text, which may be the beginning of a mention. */
  readonly tail: string;
  /** The delimiter of a style that was closed or opened just before. */
  readonly closedBy: string;
  readonly openedBy: string;
}

/** Length of `tail`, over that of every name that notifies people. */
const TAIL = 24;

const EMPTY: WriterState = {
  count: 0,
  isShown: false,
  size: { length: 0, lines: 0 },
  stack: undefined,
  pendingBreak: undefined,
  space: "",
  lineStart: true,
  paragraphStart: true,
  before: "",
  tail: "",
  closedBy: "",
  openedBy: "",
};

/**
 * Writes one message after the other in a dialect. Breaks, white space and markup wait for the next visible character, so that none of them stands at the edge
 * of a message or of a style.
 */
export class TextWriter {
  readonly #dialect: Dialect;
  readonly #limits: WriterLimits;
  readonly #parts: string[] = [];
  #state: WriterState = EMPTY;

  constructor(dialect: Dialect, limits: WriterLimits) {
    this.#dialect = dialect;
    this.#limits = limits;
  }

  get state(): WriterState {
    return this.#state;
  }

  /** True if the message has something to show. */
  get hasText(): boolean {
    return this.#state.count > 0;
  }

  /** The filled part of the message, 0 to 1 or more. */
  get fraction(): number {
    const { maxLength, maxLines } = this.#limits;
    const { length, lines } = this.#state.size;
    return Math.max(length / maxLength, (lines + 1) / maxLines);
  }

  /** True if the message can end here. */
  get fits(): boolean {
    const { size, stack } = this.#state;
    const { length, lines } = stack === undefined ? size : add(size, stack.closers);
    return length <= this.#limits.maxLength && lines < this.#limits.maxLines;
  }

  restore(state: WriterState): void {
    this.#parts.length = state.count;
    this.#state = state;
  }

  /** Enters a span. Markup of which there is too much for the limit is left out. */
  enter(frame: Frame | undefined): void {
    const { stack } = this.#state;
    const isUsed = frame !== undefined && !hasKey(stack, frame.key);
    const node = pushFrame(stack, isUsed ? frame : undefined, { sizeOf: this.#sizeOf });
    const { maxLength, maxLines } = this.#limits;
    const isAffordable = node.markup.length <= maxLength / 2 && node.markup.lines <= (maxLines - 1) / 2;
    this.#set({ stack: isAffordable ? node : pushFrame(stack, undefined, { sizeOf: this.#sizeOf }) });
  }

  /** Leaves the innermost span. `after` is the next character. */
  exit(after: string): void {
    const { stack } = this.#state;
    if (stack === undefined) throw new Error("no span is open");
    if (stack.isOpen) this.#close(stack, after);
    // Empty lines at the end of a code block are not shown.
    if (stack.frame?.content === "code-block") this.#set({ pendingBreak: undefined });
    this.#set({ stack: stack.parent });
  }

  break(kind: BreakKind): void {
    const { pendingBreak: pending, stack } = this.#state;
    const inCode = stack?.content === "code-block";
    if (pending === undefined || inCode) return this.#set({ pendingBreak: { kind, count: (pending?.count ?? 0) + 1, inCode }, space: "" });
    const isRepeated = kind === "line" && pending.kind === "line";
    const count = isRepeated ? Math.min(2, pending.count + 1) : 1;
    const isLonger = isRepeated || RANK[kind] > RANK[pending.kind];
    this.#set({ space: "", ...(isLonger && { pendingBreak: { kind, count, inCode } }) });
  }

  space(text: string): void {
    if (this.#isVerbatim) this.word({ text, after: "\n" });
    else this.#set({ space: this.#state.space + text });
  }

  /** Writes a visible part of a line, and first what waited for it. */
  word({ text, after }: Word): void {
    this.flush(text);
    this.#emitText(text, { after });
  }

  /** Writes a line of its own. */
  rule(): void {
    this.flush(this.#dialect.rule);
    this.#emitMarkup(this.#dialect.rule, { isVisible: true, isBlock: false });
    this.#set({ isShown: true });
  }

  /** Writes all that waits for the next visible character, which is the first of `next`. */
  flush(next: string): void {
    this.#flushBreak();
    this.#interruptStyles(next);
    this.#flushSpace();
    const { stack } = this.#state;
    if (stack === undefined || stack.isReady) return;
    const nodes = framesOf(stack);
    const exclusive = nodes.findLastIndex(({ frame }) => frame?.exclusive === true);
    const opening = nodes.filter(
      ({ frame, isOpen }, index) => frame !== undefined && !isOpen && (index >= exclusive || frame.type === "block"),
    );
    let parent: FrameNode | undefined;
    for (const node of nodes) {
      const opens = opening.includes(node);
      if (opens) this.#open(node, { outer: parent, inner: characterInside(node, opening, next) });
      parent = pushFrame(parent, node.frame, { sizeOf: this.#sizeOf, isOpen: opens || node.isOpen, isContinued: node.isContinued });
    }
    this.#set({ stack: parent });
  }

  /** Ends the message and begins the next one with the same spans. `undefined` if there is nothing to show. */
  cut(): string | undefined {
    const nodes = framesOf(this.#state.stack);
    for (const node of nodes.toReversed()) if (node.isOpen) this.#close(node, "\n");
    const { isShown } = this.#state;
    const text = this.#parts.splice(0).join("");
    const stack = nodes.reduce<FrameNode | undefined>(
      (parent, { frame, isOpen, isContinued }) => pushFrame(parent, frame, { sizeOf: this.#sizeOf, isContinued: isContinued || isOpen }),
      undefined,
    );
    this.#state = { ...EMPTY, stack };
    return isShown ? text : undefined;
  }

  /** Length of `text` as it would be written here. */
  lengthOf(text: string, after: string): number {
    return this.#lengthOfText(text, this.#escaped(text, after));
  }

  /** The length that is left for text. */
  get room(): number {
    const { size, stack } = this.#state;
    return this.#limits.maxLength - size.length - (stack?.closers.length ?? 0);
  }

  get #isVerbatim(): boolean {
    const content = this.#state.stack?.content;
    return content === "code" || content === "code-block";
  }

  #flushBreak(): void {
    const { pendingBreak, count } = this.#state;
    if (pendingBreak === undefined) return;
    this.#set({ pendingBreak: undefined });
    if (count === 0) return;
    if (this.#dialect.stylesEndWithLine === true) this.#suspendStyles();
    const { kind, inCode } = pendingBreak;
    const line = inCode ? "\n" : this.#dialect.breaks[kind];
    const text = indentLines(line.repeat(pendingBreak.count), this.#prefix);
    // Empty lines end without white space.
    this.#emitMarkup(text.replaceAll(/[ \t]+\n/g, "\n"), { isVisible: true, isBlock: true });
    this.#set({ space: "", paragraphStart: kind !== "line" });
  }

  /** Prefix of the next line. */
  get #prefix(): string {
    const nodes = framesOf(this.#state.stack);
    if (nodes.some(({ frame, isOpen }) => !isOpen && frame?.isUnindented === true)) return "";
    return nodes.findLast(({ frame, isOpen }) => isOpen && frame?.type === "block")?.prefix ?? "";
  }

  #flushSpace(): void {
    const { space, lineStart, paragraphStart } = this.#state;
    if (space === "") return;
    const text = lineStart ? (this.#dialect.indent?.(space, { paragraphStart }) ?? "") : space;
    if (text !== "") this.#emit(text, this.#sizeOf(text, true));
    this.#set({ space: "", ...(text !== "" && { before: " ", tail: "", closedBy: "", openedBy: "" }) });
  }

  /** Opens a frame in front of the character `inner`. `outer` is the frame around it. */
  #open({ frame, isContinued }: FrameNode, options: { readonly outer: FrameNode | undefined; readonly inner: string }): void {
    if (frame === undefined) return;
    const isBlock = frame.type === "block";
    const isVisible = frame.visible === true;
    const prefix = frame.isUnindented === true ? "" : (options.outer?.prefix ?? "");
    const text = indentLines((isContinued ? frame.continued : undefined)?.open ?? frame.open, prefix);
    if (isVisible && text.trim() !== "") this.#set({ isShown: true });
    if (isBlock || text === "") return this.#emitMarkup(text, { isVisible, isBlock });
    const { closedBy } = this.#state;
    const isClosed = closedBy !== "";
    const { inside, outside } = this.#join({ delimiter: text, inner: options.inner, outer: isClosed ? closedBy : this.#before, isClosed });
    if (outside === true) this.#separate();
    this.#emitMarkup(text, { isVisible, isBlock });
    this.#set({ openedBy: text });
    if (inside === true) this.#separate();
  }

  #close({ frame, parent }: FrameNode, after: string): void {
    if (frame === undefined || frame.close === "") return;
    const isBlock = frame.type === "block";
    const prefix = frame.isUnindented === true ? "" : (parent?.prefix ?? "");
    const { inside } = isBlock ? {} : this.#join({ delimiter: frame.close, inner: this.#state.before, outer: after, isClosed: false });
    if (inside === true) this.#separate();
    this.#emitMarkup(indentLines(frame.close, prefix), { isVisible: frame.visible === true, isBlock });
    this.#set({ closedBy: isBlock ? "" : frame.close });
  }

  /** The character in front, for which the beginning of a style is like that of a line. */
  get #before(): string {
    const { before, openedBy } = this.#state;
    return openedBy === "" ? before : "";
  }

  #join(junction: Junction): Joint {
    return this.#dialect.join?.(junction) ?? {};
  }

  /** Closes the styles that are open; they are opened again at the next visible character. */
  #suspendStyles(): void {
    const nodes = framesOf(this.#state.stack);
    if (!nodes.some(({ frame, isOpen }) => isOpen && frame?.type === "style")) return;
    for (const node of nodes.toReversed()) if (node.isOpen && node.frame?.type === "style") this.#close(node, "\n");
    this.#setFrames(nodes, ({ frame, isOpen }) => isOpen && frame?.type !== "style");
  }

  /** Closes the styles around an exclusive span before that is opened; they are opened again behind it. */
  #interruptStyles(next: string): void {
    const { stack } = this.#state;
    if (stack === undefined || stack.isReady) return;
    const nodes = framesOf(stack);
    const exclusive = nodes.findLastIndex(({ frame }) => frame?.exclusive === true);
    const isInterrupted = ({ frame, isOpen }: FrameNode, index: number): boolean => index < exclusive && isOpen && frame?.type === "style";
    if (!nodes.some(isInterrupted)) return;
    for (const node of nodes.filter(isInterrupted).toReversed()) this.#close(node, firstCharacter(next));
    this.#setFrames(nodes, ({ frame, isOpen }) => isOpen && frame?.type !== "style");
  }

  #setFrames(nodes: readonly FrameNode[], isOpen: (node: FrameNode) => boolean): void {
    const stack = nodes.reduce<FrameNode | undefined>(
      (parent, node) => pushFrame(parent, node.frame, { sizeOf: this.#sizeOf, isOpen: isOpen(node), isContinued: node.isContinued }),
      undefined,
    );
    this.#set({ stack });
  }

  /** Keeps a delimiter from its neighbour. */
  #separate(): void {
    this.#emit(ZERO_WIDTH_SPACE, this.#sizeOf(ZERO_WIDTH_SPACE, false));
    this.#set({ before: ZERO_WIDTH_SPACE, closedBy: "", openedBy: "" });
  }

  #emitText(text: string, { after }: { readonly after: string }): void {
    if (text === "") return;
    const { closedBy } = this.#state;
    const outer = firstCharacter(text);
    if (closedBy !== "" && this.#join({ delimiter: closedBy, inner: "", outer, isClosed: false }).outside === true) this.#separate();
    const output = this.#escaped(text, after);
    this.#emit(output, { length: this.#lengthOfText(text, output), lines: 0 });
    this.#set({
      isShown: this.#state.isShown || text.trim() !== "",
      lineStart: false,
      paragraphStart: false,
      before: lastCharacter(output),
      tail: (this.#state.tail + text).slice(-TAIL),
      closedBy: "",
      openedBy: "",
    });
  }

  #emitMarkup(text: string, options: { readonly isVisible: boolean; readonly isBlock: boolean }): void {
    if (text === "") return;
    this.#emit(text, this.#sizeOf(text, options.isVisible));
    const isLineStart = options.isBlock || text.endsWith("\n");
    this.#set({
      lineStart: isLineStart,
      before: isLineStart ? "" : lastCharacter(text),
      ...(text.includes("\n") && { tail: "" }),
      closedBy: "",
      openedBy: "",
    });
  }

  #emit(text: string, size: Size): void {
    this.#parts.push(text);
    this.#set({ count: this.#parts.length, size: add(this.#state.size, size) });
  }

  #escaped(text: string, after: string): string {
    const { stack, lineStart, tail } = this.#state;
    const { mentions } = this.#dialect;
    const separated = mentions === undefined ? text : separateMentions(text, { tail, mentions });
    const place = { content: stack?.content ?? "text", inCell: stack?.inCell ?? false, lineStart, before: this.#before, after };
    return this.#dialect.escape(separated, place);
  }

  #lengthOfText(text: string, output: string): number {
    return measure(this.#dialect.counts === "text" ? text : output, this.#limits.unit);
  }

  readonly #sizeOf = (text: string, isVisible: boolean): Size => {
    const isCounted = isVisible || this.#dialect.counts !== "text";
    return { length: isCounted ? measure(text, this.#limits.unit) : 0, lines: text.split("\n").length - 1 };
  };

  #set(change: Partial<WriterState>): void {
    this.#state = { ...this.#state, ...change };
  }
}

const RANK: Readonly<Record<BreakKind, number>> = { line: 0, block: 1, paragraph: 2 };

/** The first character inside a frame that is opened: of the next text, or of other markup. Delimiters of one kind work together, as one. */
function characterInside({ frame }: FrameNode, opening: readonly FrameNode[], next: string): string {
  const delimiter = firstCharacter(frame?.open ?? "");
  const inner = opening
    .slice(opening.findIndex((node) => node.frame === frame) + 1)
    .map((node) => firstCharacter(node.frame?.open ?? ""))
    .find((character) => character !== "" && character !== delimiter);
  return inner ?? firstCharacter(next);
}

function firstCharacter(text: string): string {
  const [character = ""] = text;
  return character;
}

function lastCharacter(text: string): string {
  return Array.from(text.slice(-2)).at(-1) ?? "";
}
