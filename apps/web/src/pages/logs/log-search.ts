import { LOG_LEVEL_IDS, type LogLevelId } from "@factotum/protocol";

/** What the address of the page says: which lines are shown. */
export interface LogSearch {
  /** The lowest level. */
  readonly level?: LogLevelId;
  /** What a line is about, or the beginning of that. */
  readonly source?: string;
  /** Ignoring case. */
  readonly text?: string;
}

/** Longer ones are refused by the gateway. */
const MAX_FILTER_CHARS = 200;

/** The page's part of an address. What means nothing is left out. */
export function parseLogSearch({ level, source, text }: Readonly<Record<string, unknown>>): LogSearch {
  const known = LOG_LEVEL_IDS.find((id) => id === level);
  return {
    ...(known !== undefined && { level: known }),
    ...(typeof source === "string" && source !== "" && { source: source.slice(0, MAX_FILTER_CHARS) }),
    ...(typeof text === "string" && text !== "" && { text: text.slice(0, MAX_FILTER_CHARS) }),
  };
}
