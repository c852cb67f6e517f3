/** Tokens below the compaction threshold at which the memory flush runs. */
const FLUSH_AHEAD_TOKENS = 4_000;

/** The sizes that decide whether a summary is worthwhile. */
interface ContextTokens {
  readonly contextTokens: number;
  /** System prompt and tools, included in the context. */
  readonly overheadTokens: number;
}

/** Shares of a window that the limits use, in tokens. */
interface WindowShares {
  readonly window: number;
  readonly maxContext: number;
  readonly keepRecent: number;
  readonly maxSummary: number;
}

/** The sizes of a context from which a conversation is compacted before a turn, and in the background after one. */
export interface CompactionLimits {
  /** True if a context leaves too little space for an answer, or if its history was not read completely: compact before the next request. */
  readonly shouldCompact: (size: { readonly contextTokens: number; readonly omitted: number }) => boolean;
  /**
   * True if the older messages should be summarised in the background: shortly before `shouldCompact`, and only if that frees at least an eighth of the window.
   * A small window consists mostly of prompt and recent messages, and would otherwise be summarised after each turn.
   */
  readonly shouldCompactAhead: (size: ContextTokens) => boolean;
  /** True shortly before `shouldCompact`: time for the memory flush, the silent turn in which the agent writes its notes. */
  readonly shouldFlushMemory: (contextTokens: number) => boolean;
}

/** Maximum tokens of a request; above them the conversation is compacted. The reserve for the answer is at most a quarter of the window. */
export function maxContextTokens(window: number, reserveTokens: number): number {
  return window - Math.min(reserveTokens, Math.floor(window / 4));
}

/** Creates the limits for a window with these shares. */
export function compactionLimits({ window, maxContext, keepRecent, maxSummary }: WindowShares): CompactionLimits {
  const shouldFlushMemory = (contextTokens: number): boolean =>
    contextTokens > maxContext - Math.min(FLUSH_AHEAD_TOKENS, Math.floor(window / 8));
  return {
    shouldCompact: ({ contextTokens, omitted }) => omitted > 0 || contextTokens > maxContext,
    shouldCompactAhead: ({ contextTokens, overheadTokens }) =>
      shouldFlushMemory(contextTokens) && contextTokens - overheadTokens - keepRecent - maxSummary >= window / 8,
    shouldFlushMemory,
  };
}
