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

/** When a conversation is compacted by itself: before a turn, and in the background after one. A provider that finds a request too long is the third cause. */
export interface CompactionTriggers {
  /** True when a context leaves too little room for an answer, or when not even all of its history was read: compact before the next request. */
  readonly shouldCompact: (size: { readonly contextTokens: number; readonly omitted: number }) => boolean;
  /**
   * True when the older messages should be summarised in the background: shortly before `shouldCompact` is, and only if that frees at least an eighth
   * of the window. A small window is mostly prompt and recent messages, and would otherwise be summarised after each turn.
   */
  readonly shouldCompactAhead: (size: ContextTokens) => boolean;
  /** True shortly before `shouldCompact` is: time for the silent turn in which the agent writes its notes. */
  readonly shouldFlushMemory: (contextTokens: number) => boolean;
}

/** Most tokens of a request: beyond them the conversation is compacted. What is reserved for the answer is never more than a quarter of the window. */
export function maxContextTokens(window: number, reserveTokens: number): number {
  return window - Math.min(reserveTokens, Math.floor(window / 4));
}

/** The triggers for a window that is divided this way. */
export function compactionTriggers({ window, maxContext, keepRecent, maxSummary }: WindowShares): CompactionTriggers {
  const shouldFlushMemory = (contextTokens: number): boolean =>
    contextTokens > maxContext - Math.min(FLUSH_AHEAD_TOKENS, Math.floor(window / 8));
  return {
    shouldCompact: ({ contextTokens, omitted }) => omitted > 0 || contextTokens > maxContext,
    shouldCompactAhead: ({ contextTokens, overheadTokens }) =>
      shouldFlushMemory(contextTokens) && contextTokens - overheadTokens - keepRecent - maxSummary >= window / 8,
    shouldFlushMemory,
  };
}
