/** The kind of a piece of code, for its colour. */
export type TokenKind = "comment" | "string" | "constant" | "keyword" | "function" | "type" | "tag" | "added" | "removed" | "place";

/** A piece of code; without a kind it has the text colour. */
export interface CodeToken {
  readonly text: string;
  readonly kind?: TokenKind | undefined;
}
