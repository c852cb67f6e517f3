import { randomFillSync, randomUUID } from "node:crypto";
import type { Clock, Random } from "@factotum/agent-contract";

/** The time of this machine. */
export const systemClock: Clock = {
  now: () => Date.now(),
  monotonic: () => performance.now(),
  schedule(delayMs, callback) {
    return setTimeout(callback, delayMs).unref();
  },
};

/** Bytes that are fetched at a time: a few bytes cost the system as much as many. */
const FETCHED = 1024;
let fetched = Buffer.alloc(0);

/** The randomness of this machine. */
export const systemRandom: Random = {
  bytes(count) {
    if (count > fetched.length) fetched = randomFillSync(Buffer.allocUnsafeSlow(Math.max(FETCHED, count)));
    const bytes = fetched.subarray(0, count);
    fetched = fetched.subarray(count);
    return bytes;
  },
  uuid: () => randomUUID(),
  float: () => Math.random(),
};
