import type { Figure } from "./figures.ts";

const DIGITS: Readonly<Record<Figure["unit"], number>> = {
  ms: 2,
  MiB: 1,
  MB: 2,
  kB: 1,
  bytes: 0,
  tokens: 0,
  "turns/s": 0,
  packages: 0,
  files: 0,
  "×": 2,
  "%": 1,
};

/** A value for people: `3.42 ms`, `18,204 bytes`. */
export function formatValue(value: number, unit: Figure["unit"]): string {
  const digits = unit === "ms" && value >= 100 ? 0 : DIGITS[unit];
  return `${value.toLocaleString("en-US", { minimumFractionDigits: digits, maximumFractionDigits: digits })} ${unit}`;
}
