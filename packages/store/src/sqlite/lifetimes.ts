const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * How long a settled input is kept, and with it the deduplication of its event. Longer than twice the longest retry of any provider (R2). Settled rows of the
 * outbox are kept as long.
 */
export const KEEP_SETTLED_MS: number = 14 * DAY_MS;

/** How long a model request is kept, for reports. */
export const KEEP_REQUESTS_MS: number = 30 * DAY_MS;

/** How many model requests are kept in total. */
export const KEEP_REQUESTS = 20_000;
