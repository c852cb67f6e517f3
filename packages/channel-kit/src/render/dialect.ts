import type { BreakKind, Piece, Span } from "../markdown/piece.ts";

/** What kind of text is escaped: running text, the label of a link, an address that stands for itself, code in a line, a code block. */
export type Content = "text" | "label" | "address" | "code" | "code-block";

/** Where a text is put. */
export interface Place {
  readonly content: Content;
  readonly inCell: boolean;
  /** True if only block markup is in front of it on its line. */
  readonly lineStart: boolean;
  /** The character of the output in front of it; empty at the start of a line or a style. */
  readonly before: string;
  /** What stands behind it, text or markup: at least the first character, a line feed at the end. */
  readonly after: string;
}

/** The markup of one span. */
export interface Frame {
  /** `block` markup stands at line starts; `style` markup stands in a line, directly at visible characters. */
  readonly type: "block" | "style";
  readonly open: string;
  readonly close: string;
  /** In front of each further line. */
  readonly prefix?: string;
  /** What replaces `open` and `prefix` in a message that begins within the span. */
  readonly continued?: { readonly open: string; readonly prefix: string };
  /** True if its lines have no prefix, not that of the spans around it either. */
  readonly isUnindented?: boolean;
  /** Content of the span; that of the span around it by default. */
  readonly content?: Content;
  readonly isCell?: boolean;
  /** Of frames with one key only the outermost is used. */
  readonly key?: string;
  /** True if it is used even when the span is empty. */
  readonly eager?: boolean;
  /** True if no style may be open around it. */
  readonly exclusive?: boolean;
  /** True if the markup is text that readers see, such as a bullet. */
  readonly visible?: boolean;
  /** Text to put behind the content. */
  readonly after?: string;
}

/** The neighbours of a style's delimiter. */
export interface Junction {
  readonly delimiter: string;
  /** The character on the side of the style; empty if that does not matter. */
  readonly inner: string;
  /** The character on the other side, or the delimiter of a style that ended there (`isClosed`); empty at the start of a line or of another style. */
  readonly outer: string;
  readonly isClosed: boolean;
}

/** Zero-width spaces that a delimiter needs on its sides. */
export interface Joint {
  readonly inside?: boolean;
  readonly outside?: boolean;
}

/** One way to write styled text: the table of its markup. */
export interface Dialect {
  /** Tables with the spans `table`, `row` and `cell`, or as code blocks. */
  readonly tables: "native" | "code";
  /** A line across. */
  readonly rule: string;
  /** The line ends of each kind of break. */
  readonly breaks: Readonly<Record<BreakKind, string>>;
  /** The markup of a span; `undefined` if the dialect has none and shows the content alone. */
  frame(span: Span): Frame | undefined;
  /** Escapes a part of a line, so that it is read back as `text`. Zero-width spaces may be added. */
  escape(text: string, place: Place): string;
  /** Adapts the pieces of a whole text, such as styles that the platform would not recognise. */
  readonly adapt?: (pieces: readonly Piece[]) => readonly Piece[];
  /** White space at the start of a line; dropped without it. */
  readonly indent?: (space: string, options: { readonly paragraphStart: boolean }) => string;
  /** Matches the beginning of each text that would notify people; a zero-width space is put behind the match. Needs the flag `g`. */
  readonly mentions?: RegExp;
  /** Says where a delimiter needs zero-width spaces to work. */
  readonly join?: (junction: Junction) => Joint;
  /** True if a style ends with its line. */
  readonly stylesEndWithLine?: boolean;
  /** What limits count: the output (by default), or the text that it shows. */
  readonly counts?: "output" | "text";
}

/** Line ends of dialects whose line feeds are shown. */
export const SHOWN_LINE_FEEDS: Dialect["breaks"] = { line: "\n", block: "\n", paragraph: "\n\n" };

/** Breaks up what would notify people or be read as markup, without a visible trace. */
export const ZERO_WIDTH_SPACE = "\u200b";
