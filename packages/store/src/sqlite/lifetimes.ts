const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * How long a settled input is remembered, and with it that its event came: the lifetime of deduplication. Longer than twice the longest retry of any
 * provider (R2). Settled rows of the outbox are kept as long.
 */
export const KEEP_SETTLED_MS: number = 14 * DAY_MS;

/** How long a model request is kept, for reports. */
export const KEEP_REQUESTS_MS: number = 30 * DAY_MS;

/** How many model requests are kept in all. */
export const KEEP_REQUESTS = 20_000;
