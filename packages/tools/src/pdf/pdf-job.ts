/** What is asked for. */
export interface PdfJob {
  /** From 1. */
  readonly firstPage: number;
  readonly maxPages: number;
  /** It stops after the page with which the texts have more characters; a longer page is cut after one more. */
  readonly maxChars: number;
}

/** What the program gets, as JSON in its first argument. */
export interface TimedPdfJob extends PdfJob {
  /** It stops after the page that is being read then; the first page is always read. */
  readonly maxMs: number;
}

/** The text of one page; without `text` it could not be read. */
export interface PdfPage {
  readonly number: number;
  readonly text?: string;
}

/** What the program answers, as JSON on its standard output. */
export type PdfAnswer =
  | { readonly type: "pages"; readonly pageCount: number; readonly pages: readonly PdfPage[] }
  | { readonly type: "failed"; readonly reason: "encrypted" | "damaged" };
