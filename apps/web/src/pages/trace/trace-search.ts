/** What the address of the page says besides the id: that it is one of a message (`entry`), not of a turn. */
export interface TraceSearch {
  readonly by?: "entry";
}

/** The page's part of an address. */
export function parseTraceSearch({ by }: Readonly<Record<string, unknown>>): TraceSearch {
  return by === "entry" ? { by } : {};
}
