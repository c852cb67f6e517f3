/** The figures of a model's window that compaction goes by, all in tokens. */
export interface ContextBudgetOptions {
  /** The smallest known limit of the model. */
  readonly window: number;
  /** Room for the answer; 20,000 by default, never more than a quarter of the window. */
  readonly reserveTokens?: number;
  /** What stays as it is; 20,000 by default, never more than a quarter of the window. */
  readonly keepRecentTokens?: number;
}

const RESERVE_TOKENS = 20_000;
const KEEP_RECENT_TOKENS = 20_000;
const MAX_SUMMARY_TOKENS = 8_000;
const MAX_CHUNK_TOKENS = 100_000;
/** How long before a compaction the notes are written. */
const FLUSH_AHEAD_TOKENS = 4_000;

/** How a window is shared out, in tokens. */
export interface ContextBudget {
  /** A request may have as many. */
  readonly maxContext: number;
  /** As many stay as they are. */
  readonly keepRecent: number;
  /** A summary may have as many. */
  readonly maxSummary: number;
  /** As much of a transcript goes into one request of a summariser with this window. */
  readonly maxChunk: number;
}

/** Shares out a window so that small models work with the same settings as large ones. */
export function contextBudget(options: ContextBudgetOptions): ContextBudget {
  const quarter = Math.floor(options.window / 4);
  return {
    maxContext: options.window - Math.min(options.reserveTokens ?? RESERVE_TOKENS, quarter),
    keepRecent: Math.min(options.keepRecentTokens ?? KEEP_RECENT_TOKENS, quarter),
    maxSummary: Math.min(MAX_SUMMARY_TOKENS, Math.floor(options.window / 8)),
    maxChunk: Math.min(MAX_CHUNK_TOKENS, Math.floor(options.window / 2)),
  };
}

/** True when a context of this size leaves too little room for an answer: compact before the next request. */
export function shouldCompact(contextTokens: number, options: ContextBudgetOptions): boolean {
  return contextTokens > contextBudget(options).maxContext;
}

/** What decides whether a summary is worth its while. */
export interface CompactionSize {
  readonly contextTokens: number;
  /** Of that: system prompt and tools. */
  readonly overheadTokens: number;
}

/**
 * True when the older messages should be summarised behind a turn, while nobody waits for the room: shortly before `shouldCompact` is, if that frees
 * an eighth of the window at least. In a small window nearly all is prompt and recent messages; it would be summarised after each turn.
 */
export function shouldCompactAhead({ contextTokens, overheadTokens }: CompactionSize, options: ContextBudgetOptions): boolean {
  const { keepRecent, maxSummary } = contextBudget(options);
  const freedTokens = contextTokens - overheadTokens - keepRecent - maxSummary;
  return shouldFlushMemory(contextTokens, options) && freedTokens >= options.window / 8;
}

/** True shortly before `shouldCompact` is: time for the one silent turn in which the agent writes its notes. */
export function shouldFlushMemory(contextTokens: number, options: ContextBudgetOptions): boolean {
  return contextTokens > contextBudget(options).maxContext - Math.min(FLUSH_AHEAD_TOKENS, Math.floor(options.window / 8));
}
