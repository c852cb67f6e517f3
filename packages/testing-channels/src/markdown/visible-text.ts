/** A step of a text, as the kit flattens Markdown. */
export type VisiblePiece =
  | {
      readonly type: "enter";
      readonly span: {
        readonly type: string;
        readonly url?: string;
        readonly bare?: string;
        readonly number?: number;
        readonly checked?: boolean;
      };
    }
  | { readonly type: "exit" | "rule" | "break" }
  | { readonly type: "text"; readonly text: string };

/** What a dialect shows in addition to the text. */
export interface VisibleMarks {
  /** In front of an item without a number; nothing by default. */
  readonly bullet?: string;
  /** `1.` in front of a numbered item. */
  readonly numbers?: boolean;
  /** The box of a task. */
  readonly boxes?: boolean;
  /** A line across. */
  readonly rule?: string;
  /** The address of a link in brackets behind its text. */
  readonly addresses?: boolean;
  /** Tables are shown with or without lines of `|` and `-`, which are then not compared. */
  readonly tableLines?: boolean;
  /** `>` in front of each line of a quote; such characters are then not compared. */
  readonly quotes?: boolean;
}

/** The text that pieces show with these marks, in the form of `comparable`. */
export function visibleText(pieces: readonly VisiblePiece[], marks: VisibleMarks = {}): string {
  let shown = "";
  const addresses: (string | undefined)[] = [];
  for (const piece of pieces) {
    if (piece.type === "text") shown += piece.text;
    else if (piece.type === "rule") shown += marks.rule ?? "";
    else if (piece.type === "enter") {
      const { type, url, bare, number, checked } = piece.span;
      if (type === "item") {
        const box = checked === undefined || marks.boxes !== true ? "" : checked ? "☑" : "☐";
        if (number !== undefined) shown += marks.numbers === true ? `${number}.${box}` : box;
        else shown += box === "" ? (marks.bullet ?? "") : box;
      }
      const isShown = marks.addresses === true && (type === "link" || type === "image") && bare === undefined;
      addresses.push(isShown ? url : undefined);
    } else if (piece.type === "exit") {
      const address = addresses.pop();
      if (address !== undefined) shown += `(${address})`;
    }
  }
  return comparable(shown, marks);
}

/** Without what may differ: white space, zero-width spaces, and the marks of quotes and tables where they may be shown. */
export function comparable(text: string, { quotes = false, tableLines = false }: VisibleMarks = {}): string {
  return text
    .replaceAll(/[\s\u200b]/g, "")
    .replaceAll(quotes ? ">" : /(?!)/g, "")
    .replaceAll(tableLines ? /[|-]/g : /(?!)/g, "");
}
