import type { SeededRandom } from "../scene/seeded-random.ts";

/** Sessions that are active at about the same time. */
const WINDOW = 100;

/**
 * The session of the message with this number, from 0. Sessions come and go: each has its turns within a while and is then idle, so that active conversations
 * are as long at the end of a run as at its start, and leftovers of idle sessions add up.
 */
export function chooseSession(random: SeededRandom, number: number, run: { readonly turns: number; readonly sessions: number }): number {
  const window = Math.min(WINDOW, run.sessions);
  const newest = Math.floor((number * (run.sessions - window)) / run.turns);
  return newest + random.between(0, window - 1);
}
