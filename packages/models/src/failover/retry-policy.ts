import type { ModelError, Random } from "@factotum/agent-contract";

/** Requests to one candidate for one answer, including the first. */
export const MAX_TRIES = 3;

/** If a provider requests a longer delay, the next candidate is asked, or the user gets the error. */
const LONGEST_RETRY_AFTER_MS = 30_000;

/** Upper bounds of the delays before the second and the third attempt; jitter takes up to half of each. */
const PAUSES_MS = [1_000, 4_000] as const;

/**
 * The delay before the same request is sent again to the same candidate; `undefined` for no retry: the failure is permanent, the attempts are used up, or the
 * provider requests a delay of more than 30 s. A timeout is not retried either: it has already taken the whole limit.
 */
export function retryDelay(
  error: Pick<ModelError, "code" | "retry">,
  { triesMade, random }: { readonly triesMade: number; readonly random: Pick<Random, "float"> },
): number | undefined {
  const pauseMs = PAUSES_MS[triesMade - 1];
  if (pauseMs === undefined || error.retry.type === "never" || error.code === "timeout") return undefined;
  const demandedMs = error.retry.type === "after" ? error.retry.delayMs : 0;
  if (demandedMs > LONGEST_RETRY_AFTER_MS) return undefined;
  return Math.max(demandedMs, Math.round(pauseMs * (0.5 + random.float() / 2)));
}
