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

/** Bytes of one call of the generator, which costs as much as for a few. */
const POOL_BYTES = 4_096;
let pool = Buffer.alloc(0);

/** Bytes that no other caller gets. */
function randomPart(count: number): Buffer {
  if (count > POOL_BYTES / 4) return randomBytes(count);
  if (pool.length < count) pool = randomBytes(POOL_BYTES);
  const part = Buffer.from(pool.subarray(0, count));
  pool.fill(0, 0, count);
  pool = pool.subarray(count);
  return part;
}

/** The randomness of this machine. */
export const systemRandom: Random = {
  bytes: randomPart,
  uuid: () => randomUUID(),
  float: () => Math.random(),
};
