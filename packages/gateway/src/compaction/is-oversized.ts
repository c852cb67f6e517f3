/** What the next request of a session takes of the window before its new message. */
export interface ContextSize {
  readonly contextTokens: number;
  /** Of that: system prompt and tools. */
  readonly overheadTokens: number;
  readonly compactedAtMs: number | undefined;
  /** Older entries that were not measured. */
  readonly omitted: number;
}

/** True if no request can hold the history: its compaction is limited then, and no memory flush runs before it. */
export function isOversized({ contextTokens, omitted }: Pick<ContextSize, "contextTokens" | "omitted">, window: number): boolean {
  return omitted > 0 || contextTokens > window;
}
