/** What a piece of code is, for its colour. */
export type TokenKind = "comment" | "string" | "constant" | "keyword" | "function" | "type" | "tag" | "added" | "removed" | "place";

/** A piece of code; without a kind it has the colour of text. */
export interface CodeToken {
  readonly text: string;
  readonly kind?: TokenKind | undefined;
}
