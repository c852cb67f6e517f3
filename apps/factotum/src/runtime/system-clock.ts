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

const POOL_BYTES = 4_096;
let pool = Buffer.alloc(0);

/** A few random bytes: taken from some that were asked of the system together, each of which is given away once and kept nowhere. */
function fewBytes(count: number): Buffer {
  if (count > pool.length) pool = randomBytes(POOL_BYTES);
  const taken = Buffer.from(pool.subarray(0, count));
  pool.fill(0, 0, count);
  pool = pool.subarray(count);
  return taken;
}

/** The randomness of this machine. */
export const systemRandom: Random = {
  bytes: (count) => (count <= POOL_BYTES / 16 ? fewBytes(count) : randomBytes(count)),
  uuid: () => randomUUID(),
  float: () => Math.random(),
};
