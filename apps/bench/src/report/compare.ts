import { FIGURES, type FigureId, type Measurement } from "./figures.ts";
import { median } from "./percentile.ts";

/** A round in which the product and the floor did the same, one right after the other. */
export interface Pair {
  readonly product: number;
  readonly floor: number;
}

/**
 * Runs both sides of a round, one right after the other. Which one is first alternates: the second finds the machine busier, and what the first left behind.
 */
export async function runPair<T>(
  round: number,
  sides: { readonly product: () => Promise<T>; readonly floor: () => Promise<T> },
): Promise<{ readonly product: T; readonly floor: T }> {
  if (round % 2 === 1) {
    const product = await sides.product();
    return { product, floor: await sides.floor() };
  }
  const floor = await sides.floor();
  return { product: await sides.product(), floor };
}

/**
 * One figure of paired rounds. The ratio is the median of the rounds' ratios, not the ratio of the medians: a temporary disturbance of the machine affects both
 * sides of a round.
 */
export function comparePairs(id: FigureId, pairs: readonly Pair[]): Measurement {
  return {
    value: median(pairs.map(({ product }) => product)),
    floor: median(pairs.map(({ floor }) => floor)),
    ratio: median(pairs.map((pair) => ratioOf(id, pair))),
  };
}

/** How much worse the product was than the floor. */
function ratioOf(id: FigureId, { product, floor }: Pair): number {
  return FIGURES[id].better === "lower" ? product / floor : floor / product;
}
