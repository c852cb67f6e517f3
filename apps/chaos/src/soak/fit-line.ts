/** A measured pair. */
export interface Point {
  readonly x: number;
  readonly y: number;
}

/** The least-squares line of points. */
export interface FittedLine {
  readonly slope: number;
  readonly intercept: number;
  /** Half of the slope's two-sided 95 % confidence interval, assuming that the residuals are noise. */
  readonly slopeLower95: number;
  readonly slopeUpper95: number;
}

/** Fits a line. Throws for fewer than three points, or points that all have one `x`. */
export function fitLine(points: readonly Point[]): FittedLine {
  const count = points.length;
  if (count < 3) throw new Error(`A line with a confidence needs three points at least, and these are ${count}.`);
  const meanX = points.reduce((sum, { x }) => sum + x, 0) / count;
  const meanY = points.reduce((sum, { y }) => sum + y, 0) / count;
  const spreadX = points.reduce((sum, { x }) => sum + (x - meanX) ** 2, 0);
  if (spreadX === 0) throw new Error("The points all have the same x: no line has a slope there.");
  const slope = points.reduce((sum, { x, y }) => sum + (x - meanX) * (y - meanY), 0) / spreadX;
  const intercept = meanY - slope * meanX;
  const leftOver = points.reduce((sum, { x, y }) => sum + (y - intercept - slope * x) ** 2, 0);
  const error = Math.sqrt(leftOver / (count - 2) / spreadX);
  const reach = studentQuantile(count - 2) * error;
  return { slope, intercept, slopeLower95: slope - reach, slopeUpper95: slope + reach };
}

/** The normal distribution's quantile at 97.5 %. */
const Z = 1.959_963_984_540_054;

/** Student's quantile at 97.5 %: exact for one and two degrees of freedom, else the series in 1/degrees (Abramowitz and Stegun 26.7.5). */
function studentQuantile(degrees: number): number {
  if (degrees === 1) return 12.706_204_736_432_1;
  if (degrees === 2) return 4.302_652_729_696_14;
  const terms = [
    Z,
    (Z ** 3 + Z) / 4,
    (5 * Z ** 5 + 16 * Z ** 3 + 3 * Z) / 96,
    (3 * Z ** 7 + 19 * Z ** 5 + 17 * Z ** 3 - 15 * Z) / 384,
    (79 * Z ** 9 + 776 * Z ** 7 + 1482 * Z ** 5 - 1920 * Z ** 3 - 945 * Z) / 92_160,
  ];
  return terms.reduce((sum, term, power) => sum + term / degrees ** power, 0);
}
