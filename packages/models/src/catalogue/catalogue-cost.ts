import type { ModelCost } from "@factotum/agent-contract";
import type { CatalogueRow, RowPrices } from "./catalogue-row.ts";

/** A row's prices as our `ModelCost`; `undefined` if it has none. */
export function costOf(row: CatalogueRow): ModelCost | undefined {
  if (row.price === undefined) return undefined;
  const base = toCost(row.price);
  return row.long === undefined ? base : { ...base, longContext: { ...toCost(row.long.price), aboveTokens: row.long.above } };
}

function toCost([input, output, cacheRead, cacheWrite, cacheWriteLong]: RowPrices): Omit<ModelCost, "longContext"> {
  return {
    input,
    output,
    ...(cacheRead === null ? {} : { cacheRead }),
    ...(cacheWrite === null ? {} : { cacheWrite }),
    ...(cacheWriteLong === null ? {} : { cacheWriteLong }),
  };
}
