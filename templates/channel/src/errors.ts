import { createErrorClassifier } from "@factotum/channel-kit";
import type { ErrorClassifier } from "@factotum/channel-kit";

/** What the platform's own codes mean; statuses without a code are classified by the kit. */
export const errors: ErrorClassifier = createErrorClassifier({
  codes: {
    "bad-token": "unauthorized",
    "not-in-chat": "forbidden",
    "no-such-chat": "not-found",
    "slow-down": "rate-limited",
    "bad-message": "rejected",
  },
});

/** For everything but sends. */
export async function withChannelErrors<T>(call: Promise<T>): Promise<T> {
  return call.catch((error: unknown) => {
    throw errors.toChannelError(error);
  });
}
