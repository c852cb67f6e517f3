const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * How long settled inputs are kept, and with them the deduplication of their events: more than twice the longest redelivery window of any provider (R2). Settled
 * outbox rows are kept equally long.
 */
export const SETTLED_RETENTION_MS: number = 14 * DAY_MS;

/** How long model requests are kept for reports. */
export const REQUEST_RETENTION_MS: number = 30 * DAY_MS;

/** Maximum model requests kept in total. */
export const MAX_KEPT_REQUESTS = 20_000;
