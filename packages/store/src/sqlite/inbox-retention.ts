const DAY_MS = 24 * 60 * 60 * 1000;

/**
 * How long settled inputs are kept, and with them the deduplication of their events: more than twice the longest redelivery window of any provider (R2). Settled
 * outbox rows are kept equally long.
 */
export const SETTLED_RETENTION_MS: number = 14 * DAY_MS;
