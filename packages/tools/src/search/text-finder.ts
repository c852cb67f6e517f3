/** A text to look for in files. */
export interface TextQuery {
  readonly text: string;
  /** The text is ASCII then. */
  readonly ignoreCase: boolean;
  /** Absolute. */
  readonly files: readonly string[];
}

/**
 * Says which files contain a text, faster than reading each of them here. It may name files that do not contain it, and never leaves out one that does;
 * `undefined` if it cannot say. Rejects only for an abort.
 */
export type TextFinder = (query: TextQuery, options: { readonly signal: AbortSignal }) => Promise<ReadonlySet<string> | undefined>;
