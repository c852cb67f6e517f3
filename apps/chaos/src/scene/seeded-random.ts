/** Random numbers that a seed repeats. */
export interface SeededRandom {
  /** An integer from `min` to `max`, both included. */
  between(min: number, max: number): number;
  /** The items, shuffled. */
  shuffle<Item>(items: readonly Item[]): Item[];
}

/** Creates a generator (mulberry32). */
export function seededRandom(seed: number): SeededRandom {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  const between = (min: number, max: number): number => min + Math.floor(next() * (max - min + 1));
  return {
    between,
    shuffle: (items) => {
      const shuffled = [...items];
      for (let last = shuffled.length - 1; last > 0; last -= 1) {
        const other = between(0, last);
        const [a, b] = [shuffled[last], shuffled[other]];
        if (a !== undefined && b !== undefined) [shuffled[last], shuffled[other]] = [b, a];
      }
      return shuffled;
    },
  };
}
