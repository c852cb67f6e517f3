import { numberOf } from "../values/row.ts";
import type { Database } from "./database.ts";

/** Bytes of the pages in use. The file never shrinks: free pages are reused. */
export function usedBytes(database: Database): number {
  const row = database.get(
    "SELECT (page_count - freelist_count) * page_size AS bytes FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()",
  );
  return row === undefined ? 0 : numberOf(row, "bytes");
}
