import type { SeededRandom } from "../scene/seeded-random.ts";

/** The product's crash points, by their documented names. */
export const CRASH_POINTS = [
  "before-inbound-commit",
  "after-inbound-commit",
  "after-claim",
  "mid-stream",
  "mid-tool",
  "after-final-commit",
  "before-send",
  "after-send",
] as const;

/** How one life of the process ends. */
type PlannedKill =
  /** It kills itself when it reaches the point for the `hit`-th time. */
  | { readonly type: "point"; readonly point: (typeof CRASH_POINTS)[number]; readonly hit: number }
  /** It is killed `delayMs` after this many events on the wire: requests to the model, sends, acknowledgements. */
  | { readonly type: "random"; readonly afterEvents: number; readonly delayMs: number };

/** The load of one life, so that every planned kill happens. */
export interface KillPlan {
  readonly kill: PlannedKill;
  /** The conversations with a message in this life; as many as `load`, one of them twice: a message behind another. */
  readonly conversations: readonly number[];
}

/** Required kills at each point. */
export const MIN_HITS = 3;

/**
 * Plans a run: four of five kills at the points in rotation, the others at random, in a random order. `load` messages are sent in every life, so that a point
 * that each message passes once is passed that often. Throws if a point would have too few.
 */
export function planKills(
  random: SeededRandom,
  options: { readonly kills: number; readonly conversations: number; readonly load: number },
): KillPlan[] {
  const { kills, conversations, load } = options;
  if (load < 3 || conversations < load) throw new Error("A life needs three messages at least, and a conversation for each.");
  const perPoint = Math.floor((kills * 0.8) / CRASH_POINTS.length);
  if (perPoint < MIN_HITS) throw new Error(`${kills} kills are too few: each of ${CRASH_POINTS.length} points needs ${MIN_HITS}.`);
  const atPoints = CRASH_POINTS.flatMap((point) =>
    Array.from({ length: perPoint }, (): PlannedKill => ({ type: "point", point, hit: random.between(2, load) })),
  );
  const atRandom = Array.from({ length: kills - atPoints.length }, (): PlannedKill => ({
    type: "random",
    afterEvents: random.between(load, 3 * load),
    delayMs: random.between(0, 20),
  }));
  return random.shuffle([...atPoints, ...atRandom]).map((kill) => {
    const chosen = random.shuffle(Array.from({ length: conversations }, (_, index) => index)).slice(0, load - 1);
    return { kill, conversations: [...chosen, chosen[0] ?? 0] };
  });
}
