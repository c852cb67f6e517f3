import { useEffect, useState } from "react";

/** Rows that are drawn at once, and in each further step. They fill a phone, and with the next step a large screen. */
const STEP = 4;

/**
 * The number of rows to draw, from the end of a conversation. A conversation opens quickly because the newest rows are drawn first and those outside the view
 * follow in steps; `Infinity` once all of `total` are drawn.
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
