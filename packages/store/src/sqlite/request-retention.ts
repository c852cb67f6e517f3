const DAY_MS = 24 * 60 * 60 * 1000;

/** How long model requests are kept for reports. */
export const REQUEST_RETENTION_MS: number = 30 * DAY_MS;

/** Maximum model requests kept in total. */
export const MAX_KEPT_REQUESTS = 20_000;
