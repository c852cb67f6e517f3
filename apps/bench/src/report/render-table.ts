import { type Figure, listFigures, type Measurement, type Measurements } from "./figures.ts";
import { formatValue } from "./format-value.ts";

/** The table of a run. Figures that were not measured are left out; the peer's column is there when the peer was measured. */
export function renderTable(product: Measurements, peer?: Measurements): string {
  const rows = listFigures().flatMap(([id, figure]) => {
    const measurement = product[id];
    if (measurement === undefined) return [];
    return [[...productCells(figure, measurement), ...(peer === undefined ? [] : [peerCell(figure, peer[id])])]];
  });
  const header = ["figure", "Factotum", "target", "", "floor", "× floor", ...(peer === undefined ? [] : ["peer"])];
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd();
  return [line(header), line(widths.map((width) => "─".repeat(width))), ...rows.map(line)].join("\n");
}

function productCells(figure: Figure, { value, floor, ratio }: Measurement): readonly string[] {
  const { label, unit, target } = figure;
  return [
    label,
    formatValue(value, unit),
    target === undefined ? "" : `${figure.better === "lower" ? "≤" : "≥"} ${formatValue(target, unit)}`,
    target === undefined ? "" : reaches(figure, value, target) ? "ok" : "MISSED",
    floor === undefined ? "" : formatValue(floor, unit),
    ratio === undefined ? "" : ratio.toFixed(2),
  ];
}

function reaches({ better }: Figure, value: number, target: number): boolean {
  return better === "lower" ? value <= target : value >= target;
}

function peerCell({ unit }: Figure, measurement: Measurement | undefined): string {
  return measurement === undefined ? "–" : formatValue(measurement.value, unit);
}
