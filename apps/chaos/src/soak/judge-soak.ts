import { fitLine } from "./fit-line.ts";
import type { FittedLine } from "./fit-line.ts";
import type { MemorySample, Resources } from "./product-probe.ts";

/** Maximum growth of the memory, in MiB per 10,000 turns: the upper end of the slope's 95 % interval (R11). */
const MAX_GROWTH_MIB = 1;

/**
 * The same for a run of fewer than 100,000 turns. Memory still settles there (0.5 to 0.7 MiB per 10,000 turns in eight runs of 30,000), and residuals of
 * successive samples are not independent, so the interval is too narrow.
 */
const MAX_GROWTH_SHORT_MIB = 2;

/** Minimum turns of a long run. */
const LONG_TURNS = 100_000;

/** Minimum turns for judging the line: in fewer, warm-up and noise exceed the bound. */
const MIN_TURNS = 20_000;

/** The share of the turns that counts as warm-up. */
export const WARM_UP_SHARE = 0.2;

/** The share after which the run pauses once, to be counted. It is within the warm-up: an idle process returns memory that it takes again. */
export const REST_SHARE = 0.1;

/** Memory at a point of the run. */
export interface SoakSample extends MemorySample {
  readonly turns: number;
}

/** The observations. */
export interface SoakRun {
  readonly turns: number;
  readonly samples: readonly SoakSample[];
  /** Idle during the warm-up, and at the end. */
  readonly before: Resources;
  readonly after: Resources;
}

/** The judgement. */
export interface SoakVerdict {
  /** Resident memory in MiB over 10,000 turns, after the warm-up. */
  readonly line: FittedLine;
  /** For people; empty without a leak. */
  readonly problems: readonly string[];
}

/** Judges a run: the objects that it holds, and from 20,000 turns on the growth of its memory. Pure. Throws if there are too few samples. */
export function judgeSoak({ turns, samples, before, after }: SoakRun): SoakVerdict {
  const points = samples
    .filter((sample) => sample.turns >= turns * WARM_UP_SHARE)
    .map((sample) => ({ x: sample.turns / 10_000, y: sample.rss / 1024 ** 2 }));
  const line = fitLine(points);
  const kinds = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const leaks = kinds
    .filter((kind) => (after[kind] ?? 0) > (before[kind] ?? 0))
    .map((kind) => `${kind}: ${before[kind] ?? 0} when it was warm, ${after[kind] ?? 0} at the end`);
  const allowed = turns < LONG_TURNS ? MAX_GROWTH_SHORT_MIB : MAX_GROWTH_MIB;
  if (turns < MIN_TURNS || line.slopeUpper95 <= allowed) return { line, problems: leaks };
  const growth = `the memory may grow by ${line.slopeUpper95.toFixed(2)} MiB per 10,000 turns (fitted: ${line.slope.toFixed(2)}); ${allowed} is allowed`;
  return { line, problems: [growth, ...leaks] };
}
