/** What the next request of a session takes of the window before its new message. */
export interface ContextSize {
  readonly contextTokens: number;
  /** Of that: system prompt and tools. */
  readonly overheadTokens: number;
  readonly compactedAtMs: number | undefined;
  /** Older entries that were not measured. */
  readonly omitted: number;
}

/** True when no request can hold the history: then its compaction is limited, and no turn is run over it before. */
export function isOversized({ contextTokens, omitted }: Pick<ContextSize, "contextTokens" | "omitted">, window: number): boolean {
  return omitted > 0 || contextTokens > window;
}
