/** A part of each bar of a plot; `values` has one for each bar. */
export interface BarSeries {
  readonly label: string;
  readonly values: readonly number[];
}

/** The ends of stacked parts, those of the whole first: it is drawn first, and the lower ones over it. */
export function stackEnds(names: readonly string[], series: readonly BarSeries[]): number[][] {
  const ends = series.map((_, last) =>
    names.map((_name, index) => series.slice(0, last + 1).reduce((sum, { values }) => sum + (values[index] ?? 0), 0)),
  );
  return ends.toReversed();
}
