/** What the address of the page says: days as `2026-11-29`, and what usage is grouped by. Unchecked. */
export interface UsageSearch {
  readonly from?: string;
  readonly to?: string;
  readonly by?: string;
}

/** The page's part of an address. What is no text is left out. */
export function parseUsageSearch({ from, to, by }: Readonly<Record<string, unknown>>): UsageSearch {
  return {
    ...(typeof from === "string" && { from }),
    ...(typeof to === "string" && { to }),
    ...(typeof by === "string" && { by }),
  };
}
