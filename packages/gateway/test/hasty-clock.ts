import type { Clock } from "@factotum/agent-contract";
import { realClock } from "./gateway-harness.ts";

/** The longest backoff before a model request is retried, unless the provider names a delay. */
const LONGEST_PAUSE_MS = 4_000;

/** Real time, except that short delays fire at once, such as the backoff of model requests. */
export const hastyClock: Clock = {
  now: () => realClock.now(),
  monotonic: () => realClock.monotonic(),
  schedule: (delayMs, callback) => realClock.schedule(delayMs <= LONGEST_PAUSE_MS ? 0 : delayMs, callback),
};
