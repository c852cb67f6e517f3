import { type Figure, listFigures, type Measurement, type Measurements } from "./figures.ts";
import { formatValue } from "./format-value.ts";

/** The table of a run. Figures that were not measured are omitted; the peer's columns appear if the peer was measured. `floor`: what it is called. */
export function renderTable(
  product: Measurements,
  { peer, floor = "floor" }: { readonly peer?: Measurements | undefined; readonly floor?: string } = {},
): string {
  const rows = listFigures().flatMap(([id, figure]) => {
    const measurement = product[id];
    if (measurement === undefined) return [];
    return [[...productCells(figure, measurement, peer?.[id]), ...(peer === undefined ? [] : peerCells(figure, measurement, peer[id]))]];
  });
  const header = ["figure", "Factotum", "target", "", floor, `× ${floor}`, ...(peer === undefined ? [] : ["peer", "× better", "wanted"])];
  const widths = header.map((title, column) => Math.max(title.length, ...rows.map((row) => row[column]?.length ?? 0)));
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => (column === 0 ? cell.padEnd(widths[column] ?? 0) : cell.padStart(widths[column] ?? 0)))
      .join("  ")
      .trimEnd();
  return [line(header), line(widths.map((width) => "─".repeat(width))), ...rows.map(line)].join("\n");
}

function productCells(figure: Figure, { value, floor, ratio }: Measurement, peer: Measurement | undefined): readonly string[] {
  const { label, unit, target } = figure;
  return [
    label,
    formatValue(value, unit),
    target === undefined ? "" : `${figure.better === "lower" ? "≤" : "≥"} ${formatValue(target, unit)}`,
    target === undefined ? "" : verdict(figure, target, value, peer?.value),
    floor === undefined ? "" : formatValue(floor, unit),
    ratio === undefined ? "" : ratio.toFixed(2),
  ];
}

/** Times depend on the machine: on a slower one the target counts as reached by the same lead over the peer. */
function verdict(figure: Figure, target: number, value: number, peer: number | undefined): string {
  if (figure.better === "lower" ? value <= target : value >= target) return "ok";
  const wanted = wantedLead(figure);
  return peer !== undefined && wanted !== undefined && leadOf(figure, value, peer) >= wanted ? "ok by ratio" : "MISSED";
}

function peerCells(figure: Figure, { value }: Measurement, peer: Measurement | undefined): readonly string[] {
  if (peer === undefined) return ["–", "", ""];
  return [formatValue(peer.value, figure.unit), leadOf(figure, value, peer.value).toFixed(1), wantedLead(figure)?.toFixed(1) ?? ""];
}

/** The lead over the peer that the target requires. */
function wantedLead(figure: Figure): number | undefined {
  return figure.target === undefined || figure.peer === undefined ? undefined : leadOf(figure, figure.target, figure.peer);
}

function leadOf({ better }: Figure, value: number, peer: number): number {
  return better === "lower" ? peer / value : value / peer;
}
