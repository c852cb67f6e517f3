/** The parts of the page. */
const TABS = ["notes", "forget", "index"] as const;

/** What the address of the page says. */
export interface MemorySearch {
  readonly tab?: (typeof TABS)[number];
  /** The agent; the default one if it is missing. */
  readonly agent?: string;
  /** The open note. */
  readonly note?: string;
}

/** Reads the address; what is wrong in it counts as missing. */
export function parseMemorySearch(search: Readonly<Record<string, unknown>>): MemorySearch {
  const tab = TABS.find((one) => one === search["tab"]);
  const { agent, note } = search;
  return {
    ...(tab !== undefined && { tab }),
    ...(typeof agent === "string" && { agent }),
    ...(typeof note === "string" && { note }),
  };
}
