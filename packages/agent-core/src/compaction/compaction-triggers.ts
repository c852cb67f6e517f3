/** Tokens before the compaction threshold at which notes are written. */
const FLUSH_AHEAD_TOKENS = 4_000;

/** What decides whether a summary is worth making. */
interface ContextTokens {
  readonly contextTokens: number;
  /** Of that: system prompt and tools. */
  readonly overheadTokens: number;
}

/** The shares of a window that the triggers go by, in tokens. */
interface WindowShares {
  readonly window: number;
  readonly maxContext: number;
  readonly keepRecent: number;
  readonly maxSummary: number;
}

/** When a conversation is compacted by itself: before a turn, and in the background after one. */
export interface CompactionTriggers {
  /** True when a context of this size leaves too little room for an answer: compact before the next request. */
  readonly shouldCompact: (contextTokens: number) => boolean;
  /**
   * True when the older messages should be summarised in the background: shortly before `shouldCompact` is, and only if that frees at least an eighth
   * of the window. A small window is mostly prompt and recent messages, and would otherwise be summarised after each turn.
   */
  readonly shouldCompactAhead: (size: ContextTokens) => boolean;
  /** True shortly before `shouldCompact` is: time for the silent turn in which the agent writes its notes. */
  readonly shouldFlushMemory: (contextTokens: number) => boolean;
}

/** The triggers for a window that is divided this way. */
export function compactionTriggers({ window, maxContext, keepRecent, maxSummary }: WindowShares): CompactionTriggers {
  const shouldFlushMemory = (contextTokens: number): boolean =>
    contextTokens > maxContext - Math.min(FLUSH_AHEAD_TOKENS, Math.floor(window / 8));
  return {
    shouldCompact: (contextTokens) => contextTokens > maxContext,
    shouldCompactAhead: ({ contextTokens, overheadTokens }) =>
      shouldFlushMemory(contextTokens) && contextTokens - overheadTokens - keepRecent - maxSummary >= window / 8,
    shouldFlushMemory,
  };
}
