import { randomBytes, randomUUID } from "node:crypto";
import type { Clock, Random } from "@factotum/agent-contract";

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(delayMs, callback) {
    return setTimeout(callback, delayMs).unref();
  },
};

/** The randomness of this machine. */
export const systemRandom: Random = {
  bytes: (count) => randomBytes(count),
  uuid: () => randomUUID(),
  float: () => Math.random(),
};
