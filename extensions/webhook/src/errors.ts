import { createErrorClassifier } from "@factotum/channel-kit";
import type { ErrorClassifier } from "@factotum/channel-kit";

/** The codes that a service may answer with (`{ "error": … }`); without one the status decides. */
export const errors: ErrorClassifier = createErrorClassifier({
  codes: {
    unauthorized: "unauthorized",
    forbidden: "forbidden",
    "not-found": "not-found",
    "rate-limited": "rate-limited",
    "too-long": "too-long",
    rejected: "rejected",
  },
  statuses: { 401: "unauthorized", 403: "forbidden", 404: "not-found", 410: "not-found", 413: "too-long", 429: "rate-limited" },
});

/** For everything but sends. */
export async function withChannelErrors<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    throw errors.toChannelError(error);
  });
}
