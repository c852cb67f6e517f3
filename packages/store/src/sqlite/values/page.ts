import type { Page } from "../../port/page.ts";
import type { Row } from "./row.ts";

/** How rows become a page. */
interface PageOptions<Item> {
  /** Items at most. */
  readonly limit: number;
  /** Rows that were requested without the extra one, which only shows that more follows; defaults to `limit`. */
  readonly scanned?: number;
  /** Excluded rows are skipped. */
  readonly isWanted?: (row: Row) => boolean;
  readonly cursorOf: (row: Row) => string;
  readonly decode: (row: Row) => Item | undefined;
}

/** Builds a page from rows, one more of which was read than the page has. Rows that cannot be decoded are skipped, but the cursor counts them. */
export function toPage<Item>(rows: readonly Row[], options: PageOptions<Item>): Page<Item> {
  const { limit, scanned = limit, isWanted = () => true } = options;
  const items: Item[] = [];
  let wanted = 0;
  let last: Row | undefined;
  for (const row of rows.slice(0, scanned)) {
    if (wanted === limit) break;
    last = row;
    if (!isWanted(row)) continue;
    wanted += 1;
    const item = options.decode(row);
    if (item !== undefined) items.push(item);
  }
  return last !== undefined && rows.at(-1) !== last ? { items, cursor: options.cursorOf(last) } : { items };
}
