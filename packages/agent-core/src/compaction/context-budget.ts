import { COMPACTION_DEFAULTS } from "@factotum/agent-contract";
import { compactionLimits, type CompactionLimits, maxContextTokens } from "./compaction-limits.ts";

/** How compaction divides a model's window, all in tokens; absent values are those of `COMPACTION_DEFAULTS`. */
export interface ContextBudgetOptions {
  /** The smallest known limit of the model. */
  readonly window: number;
  /** Reserved for the answer, never more than a quarter of the window. */
  readonly reserveTokens?: number;
  /** Recent messages that are kept verbatim, never more than a quarter of the window. */
  readonly keepRecentTokens?: number;
}

const MAX_SUMMARY_TOKENS = 8_000;
const MAX_CHUNK_TOKENS = 100_000;
const CHARS_PER_TOKEN = 4;
/** Maximum share of the window for one tool result. */
const MAX_RESULT_SHARE = 0.3;

/** How a window is divided, in tokens unless stated otherwise. */
export interface ContextBudget extends CompactionLimits {
  /** The whole window. */
  readonly window: number;
  /** Maximum tokens of a request. */
  readonly maxContext: number;
  /** Tokens of recent messages that are kept verbatim. */
  readonly keepRecent: number;
  /** Maximum tokens of a summary. */
  readonly maxSummary: number;
  /** Maximum tokens of transcript in one request to a summariser with this window. */
  readonly maxChunk: number;
  /** Maximum characters of text in one tool result: 16,000; 32,000 from 100k tokens, 64,000 from 200k; at most 30 % of the window. */
  readonly maxToolResultChars: number;
}

/** Divides a window so that the same settings work for small and large models. */
export function contextBudget({
  window,
  reserveTokens = COMPACTION_DEFAULTS.reserveTokens,
  keepRecentTokens = COMPACTION_DEFAULTS.keepRecentTokens,
}: ContextBudgetOptions): ContextBudget {
  const quarter = Math.floor(window / 4);
  const eighth = Math.floor(window / 8);
  const maxContext = maxContextTokens(window, reserveTokens);
  const keepRecent = Math.min(keepRecentTokens, quarter);
  const maxSummary = Math.min(MAX_SUMMARY_TOKENS, eighth);
  return {
    window,
    maxContext,
    keepRecent,
    maxSummary,
    maxChunk: Math.min(MAX_CHUNK_TOKENS, Math.floor(window / 2)),
    maxToolResultChars: toolResultMaxChars(window),
    ...compactionLimits({ window, maxContext, keepRecent, maxSummary }),
  };
}

function toolResultMaxChars(window: number): number {
  const bySize = window >= 200_000 ? 64_000 : window >= 100_000 ? 32_000 : 16_000;
  return Math.min(bySize, Math.floor(window * MAX_RESULT_SHARE * CHARS_PER_TOKEN));
}
