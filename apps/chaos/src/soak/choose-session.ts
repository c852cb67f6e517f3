import type { SeededRandom } from "../scene/seeded-random.ts";

/** Sessions that are talked in at about the same time. */
const WINDOW = 100;

/**
 * Who says the message of this number, from 0. Sessions come and go: each has its turns within a while and is then left alone, so that conversations in use
 * are as long at the end of a run as at its beginning, and what is kept of a session that nobody uses any more adds up.
 */
export function chooseSession(random: SeededRandom, number: number, run: { readonly turns: number; readonly sessions: number }): number {
  const window = Math.min(WINDOW, run.sessions);
  const newest = Math.floor((number * (run.sessions - window)) / run.turns);
  return newest + random.between(0, window - 1);
}
