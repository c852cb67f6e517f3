import { type Figure, listFigures, type Measurements } from "./figures.ts";
import { formatValue } from "./format-value.ts";

/** The check fails if a ratio to the floor is this much worse than the recorded one. */
const MAX_RATIO_GROWTH = 1.5;

/** One message per size over its limit; empty if a run passes. A size that was not measured fails too. */
export function checkSizes(measured: Measurements): readonly string[] {
  return listFigures().flatMap(([id, figure]) => {
    if (figure.gate !== "limit") return [];
    const value = measured[id]?.value;
    return value === undefined ? [`${figure.label} was not measured.`] : checkLimit(figure, value);
  });
}

/** The same for the ratios to the floor, against the recorded ones. */
export function checkRatios(measured: Measurements, recorded: Measurements): readonly string[] {
  return listFigures().flatMap(([id, figure]) => {
    if (figure.gate !== "ratio") return [];
    const measurement = measured[id];
    return measurement === undefined ? [`${figure.label} was not measured.`] : checkRatio(figure, measurement.ratio, recorded[id]?.ratio);
  });
}

/** The figures of this run that miss their target, one sentence each: for a form whose purpose is its targets. */
export function checkTargets(measured: Measurements): readonly string[] {
  return listFigures().flatMap(([id, figure]) => {
    const value = measured[id]?.value;
    return value === undefined || figure.target === undefined ? [] : checkLimit(figure, value);
  });
}

function checkLimit(figure: Figure, value: number): readonly string[] {
  const { label, unit, target } = figure;
  // Negated, so that NaN fails.
  if (target === undefined || value <= target) return [];
  return [`${label}: ${formatValue(value, unit)} is more than ${formatValue(target, unit)}.`];
}

function checkRatio({ label }: Figure, ratio: number | undefined, recorded: number | undefined): readonly string[] {
  if (recorded === undefined) return [`${label} has no recorded ratio: record one with "pnpm bench --record".`];
  if (ratio === undefined || !Number.isFinite(ratio)) return [`${label} has no ratio to the floor.`];
  if (ratio <= recorded * MAX_RATIO_GROWTH) return [];
  return [
    `${label}: ${ratio.toFixed(2)} × the floor, recorded are ${recorded.toFixed(2)} ×, and ${MAX_RATIO_GROWTH} times that is allowed. "pnpm bench --profile" shows where the time goes.`,
  ];
}
