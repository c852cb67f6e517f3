import type { ThinkingLevel } from "@factotum/agent-contract";

/** US dollars for a million tokens: input, output, cache read, cache write, cache write for an hour. `null`: not known. */
export type RowPrices = readonly [
  input: number,
  output: number,
  cacheRead: number | null,
  cacheWrite: number | null,
  cacheWriteLong: number | null,
];

/** What the generated catalogue knows of one model. What is left out is not known. */
export interface CatalogueRow {
  readonly id: string;
  /** A regular expression for the other names of the model: dated versions, aliases. */
  readonly match?: string;
  /** Tokens. */
  readonly window?: number;
  /** Tokens. */
  readonly output?: number;
  readonly images?: boolean;
  readonly reasoning?: boolean;
  /** The levels that its provider takes for it. */
  readonly levels?: readonly ThinkingLevel[];
  readonly price?: RowPrices;
  /** The prices of a whole request whose prompt has more than `above` tokens. */
  readonly long?: { readonly above: number; readonly price: RowPrices };
}
