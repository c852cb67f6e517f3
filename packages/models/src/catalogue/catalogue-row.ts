import type { ThinkingLevel } from "@factotum/agent-contract";

/** US dollars per million tokens: input, output, cache read, cache write, one-hour cache write. `null`: unknown. */
export type RowPrices = readonly [
  input: number,
  output: number,
  cacheRead: number | null,
  cacheWrite: number | null,
  cacheWriteLong: number | null,
];

/** The generated catalogue's data of one model. Absent fields are unknown. */
export interface CatalogueRow {
  readonly id: string;
  /** A regular expression for other names of the model: dated versions, aliases. */
  readonly match?: string;
  /** Tokens. */
  readonly window?: number;
  /** Tokens. */
  readonly output?: number;
  readonly images?: boolean;
  readonly reasoning?: boolean;
  /** The thinking levels that its provider accepts for it. */
  readonly levels?: readonly ThinkingLevel[];
  readonly price?: RowPrices;
  /** Prices of a whole request whose prompt has more than `above` tokens. */
  readonly long?: { readonly above: number; readonly price: RowPrices };
}
