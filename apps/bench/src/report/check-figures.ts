import { type Figure, listFigures, type Measurements } from "./figures.ts";
import { formatValue } from "./format-value.ts";

/** A ratio to the floor may be this much worse than the recorded one before the check fails. */
export const MAX_RATIO_GROWTH = 1.5;

/** What is wrong with a run, one sentence a figure; empty when it passes. A gated figure that was not measured is wrong too. */
export function checkFigures(measured: Measurements, recorded: Measurements): readonly string[] {
  return listFigures().flatMap(([id, figure]) => {
    if (figure.gate === "none") return [];
    const measurement = measured[id];
    if (measurement === undefined) return [`${figure.label} was not measured.`];
    if (figure.gate === "limit") return checkLimit(figure, measurement.value);
    return checkRatio(figure, measurement.ratio, recorded[id]?.ratio);
  });
}

function checkLimit(figure: Figure, value: number): readonly string[] {
  const { label, unit, target } = figure;
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
