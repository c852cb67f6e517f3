import type { MetricLabels, MetricName } from "./metric-table.ts";

/** One number with its labels; `suffix` for the parts of a histogram. */
export interface Sample {
  readonly suffix?: "_bucket" | "_sum" | "_count";
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Plain numbers per set of labels, since the start of the process. */
export class Tally<Name extends MetricName> {
  readonly name: Name;
  readonly #series = new Map<string, { readonly labels: MetricLabels<Name>; value: number }>();

  constructor(name: Name) {
    this.name = name;
  }

  add(labels: MetricLabels<Name>, by = 1): void {
    const key = Object.values(labels).join("\n");
    const series = this.#series.get(key);
    if (series === undefined) this.#series.set(key, { labels, value: by });
    else series.value += by;
  }

  samples(): readonly Sample[] {
    return [...this.#series.values()];
  }
}

/** Upper bounds in seconds: from an answer out of the cache to a run of half an hour. */
const BOUNDS = [0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60, 120, 300, 600, 1800] as const;

/** A histogram of durations per label set: cumulative buckets and the sum. */
export class Durations<Name extends MetricName> {
  readonly name: Name;
  readonly #series = new Map<string, { readonly labels: MetricLabels<Name>; readonly counts: number[]; count: number; sum: number }>();

  constructor(name: Name) {
    this.name = name;
  }

  observe(labels: MetricLabels<Name>, seconds: number): void {
    const key = Object.values(labels).join("\n");
    const series = this.#series.get(key) ?? { labels, counts: BOUNDS.map(() => 0), count: 0, sum: 0 };
    this.#series.set(key, series);
    series.count += 1;
    series.sum += seconds;
    const at = BOUNDS.findIndex((bound) => seconds <= bound);
    if (at !== -1) series.counts[at] = (series.counts[at] ?? 0) + 1;
  }

  samples(): readonly Sample[] {
    return [...this.#series.values()].flatMap(({ labels, counts, count, sum }) => {
      let below = 0;
      const buckets = BOUNDS.map((bound, index): Sample => {
        below += counts[index] ?? 0;
        return { suffix: "_bucket", labels: { ...labels, le: String(bound) }, value: below };
      });
      return [
        ...buckets,
        { suffix: "_bucket", labels: { ...labels, le: "+Inf" }, value: count },
        { suffix: "_sum", labels, value: sum },
        { suffix: "_count", labels, value: count },
      ];
    });
  }
}
