/** A part of a text that is shown in its own way. A dialect says how, by type. */
export type Span =
  | { readonly type: "paragraph" | "quote" | "strong" | "emphasis" | "strikethrough" }
  | { readonly type: "heading"; readonly depth: 1 | 2 | 3 | 4 | 5 | 6 }
  /** `backticks`: the longest run of them in the content. `padded`: the content must not touch delimiters that are backticks. */
  | { readonly type: "code"; readonly backticks: number; readonly padded: boolean }
  | { readonly type: "code-block"; readonly language?: string; readonly backticks: number }
  /** Only addresses that a message may link to (http, https, mailto, tel). `bare`: the content is the address itself, `short` without its scheme. */
  | { readonly type: "link"; readonly url: string; readonly bare?: "full" | "short" }
  /** The content is the description. */
  | { readonly type: "image"; readonly url: string }
  /** `start`: the first number; bullets without it. */
  | { readonly type: "list"; readonly start?: number }
  /** `level`: 0 for the outermost list. `checked`: a task. */
  | { readonly type: "item"; readonly level: number; readonly number?: number; readonly checked?: boolean }
  | { readonly type: "table"; readonly columns: readonly CellAlign[] }
  /** `columns`: of the table, for the head row only. */
  | { readonly type: "row"; readonly head?: readonly CellAlign[] }
  | { readonly type: "cell"; readonly head: boolean; readonly align: CellAlign };

/** Alignment of a table column. */
export type CellAlign = "left" | "center" | "right" | "none";

/** Where a text continues: on the next line of the same block, directly below with the next block, or after an empty line. */
export type BreakKind = "line" | "block" | "paragraph";

/** One step of a text in reading order. Spans nest. Texts have neither line ends nor control characters, and never follow each other directly. */
export type Piece =
  | { readonly type: "enter"; readonly span: Span }
  | { readonly type: "exit" }
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "break"; readonly kind: BreakKind }
  | { readonly type: "rule" };
