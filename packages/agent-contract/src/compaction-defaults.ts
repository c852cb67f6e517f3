/** How compaction divides a context window by default, in tokens. */
export const COMPACTION_DEFAULTS = {
  /** Reserved for the answer. */
  reserveTokens: 20_000,
  /** Recent messages that are kept verbatim. */
  keepRecentTokens: 20_000,
} as const;
