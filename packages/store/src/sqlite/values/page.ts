import type { Page } from "../../port/store.ts";
import type { Row } from "./row.ts";

/**
 * Makes a page of `limit + 1` rows that were read: the last one only says that more follows. Rows that cannot be decoded are left out,
 * and the cursor counts them all the same.
 */
export function toPage<Item>(
  rows: readonly Row[],
  options: {
    readonly limit: number;
    readonly cursorOf: (row: Row) => string;
    readonly decode: (row: Row) => Item | undefined;
  },
): Page<Item> {
  const shown = rows.slice(0, options.limit);
  const items = shown.map(options.decode).filter((item) => item !== undefined);
  const last = shown.at(-1);
  return rows.length > options.limit && last !== undefined ? { items, cursor: options.cursorOf(last) } : { items };
}
