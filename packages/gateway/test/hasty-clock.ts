import type { Clock } from "@factotum/agent-contract";
import { realClock } from "./gateway-harness.ts";

/** The longest pause before a model request is sent again, where the provider names none. */
const LONGEST_PAUSE_MS = 4_000;

/** Real time, in which short pauses are over at once: those between the tries of a model request among them. */
export const hastyClock: Clock = {
  now: () => realClock.now(),
  monotonic: () => realClock.monotonic(),
  schedule: (delayMs, callback) => realClock.schedule(delayMs <= LONGEST_PAUSE_MS ? 0 : delayMs, callback),
};
