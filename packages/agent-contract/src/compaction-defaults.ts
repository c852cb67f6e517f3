/** How compaction divides a context window where nothing else is configured, in tokens. */
export const COMPACTION_DEFAULTS = {
  /** Room for the answer. */
  reserveTokens: 20_000,
  /** Recent messages that are kept verbatim. */
  keepRecentTokens: 20_000,
} as const;
