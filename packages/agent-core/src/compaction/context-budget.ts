/** The figures of a model's window that compaction goes by, all in tokens. */
export interface ContextBudgetOptions {
  /** The smallest known limit of the model. */
  readonly window: number;
  /** Room for the answer; 20,000 by default, never more than a quarter of the window. */
  readonly reserveTokens?: number;
  /** Recent messages that are kept verbatim; 20,000 by default, never more than a quarter of the window. */
  readonly keepRecentTokens?: number;
}

const RESERVE_TOKENS = 20_000;
const KEEP_RECENT_TOKENS = 20_000;
const MAX_SUMMARY_TOKENS = 8_000;
const MAX_CHUNK_TOKENS = 100_000;
/** Tokens before the compaction threshold at which notes are written. */
const FLUSH_AHEAD_TOKENS = 4_000;
const CHARS_PER_TOKEN = 4;
/** No single tool result takes more of the window. */
const MAX_RESULT_SHARE = 0.3;

/** What decides whether a summary is worth making. */
interface ContextTokens {
  readonly contextTokens: number;
  /** Of that: system prompt and tools. */
  readonly overheadTokens: number;
}

/** How a window is divided, in tokens unless stated otherwise. */
export interface ContextBudget {
  /** The whole window. */
  readonly window: number;
  /** Most tokens of a request. */
  readonly maxContext: number;
  /** Tokens of recent messages that are kept verbatim. */
  readonly keepRecent: number;
  /** Most tokens of a summary. */
  readonly maxSummary: number;
  /** Most tokens of transcript in one request to a summariser with this window. */
  readonly maxChunk: number;
  /** Characters of text that one tool result may have: 16,000, from 100k tokens 32,000, from 200k 64,000, and never more than 30 % of the window. */
  readonly maxToolResultChars: number;
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

/** Divides a window so that small models work with the same settings as large ones. */
export function contextBudget({
  window,
  reserveTokens = RESERVE_TOKENS,
  keepRecentTokens = KEEP_RECENT_TOKENS,
}: ContextBudgetOptions): ContextBudget {
  const quarter = Math.floor(window / 4);
  const eighth = Math.floor(window / 8);
  const maxContext = window - Math.min(reserveTokens, quarter);
  const keepRecent = Math.min(keepRecentTokens, quarter);
  const maxSummary = Math.min(MAX_SUMMARY_TOKENS, eighth);
  const shouldFlushMemory = (contextTokens: number): boolean => contextTokens > maxContext - Math.min(FLUSH_AHEAD_TOKENS, eighth);
  return {
    window,
    maxContext,
    keepRecent,
    maxSummary,
    maxChunk: Math.min(MAX_CHUNK_TOKENS, Math.floor(window / 2)),
    maxToolResultChars: toolResultMaxChars(window),
    shouldCompact: (contextTokens) => contextTokens > maxContext,
    shouldCompactAhead: ({ contextTokens, overheadTokens }) =>
      shouldFlushMemory(contextTokens) && contextTokens - overheadTokens - keepRecent - maxSummary >= window / 8,
    shouldFlushMemory,
  };
}

function toolResultMaxChars(window: number): number {
  const bySize = window >= 200_000 ? 64_000 : window >= 100_000 ? 32_000 : 16_000;
  return Math.min(bySize, Math.floor(window * MAX_RESULT_SHARE * CHARS_PER_TOKEN));
}
