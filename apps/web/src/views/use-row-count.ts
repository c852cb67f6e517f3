import { useEffect, useState } from "react";

/** Rows that are drawn at once, and with each step after that. They fill a phone, and a large screen after the next step. */
const STEP = 6;

/**
 * How many rows from the end of a conversation to draw. Opening one is quick because the newest rows come first and the others, which are out of sight, follow
 * in steps; `Infinity` once all of `total` are there.
 */
export function useRowCount(total: number): number {
  const [count, setCount] = useState(STEP);
  useEffect(() => {
    if (count === Infinity) return undefined;
    const timer = setTimeout(() => setCount(count >= total ? Infinity : count + STEP));
    return () => clearTimeout(timer);
  }, [count, total]);
  return count;
}
