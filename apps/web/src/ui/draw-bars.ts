import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import { type BarSeries, stackEnds } from "./stack-ends.ts";

/** What a plot of bars shows. */
export interface BarData {
  /** `columns`: upright bars, for days; `rows`: lying bars from the top, for names. */
  readonly layout: "columns" | "rows";
  /** Of each bar. */
  readonly names: readonly string[];
  /** The parts of each bar, the first one at its foot. */
  readonly series: readonly BarSeries[];
  readonly format: (value: number) => string;
}

/** Colours of the theme, as the canvas takes them: resolved. */
export interface BarColours {
  readonly text: string;
  readonly line: string;
  readonly font: string;
  /** One for each series. */
  readonly series: readonly string[];
}

const COLUMNS_PX = 200;
const ROW_PX = 30;
const AXIS_PX = 36;
/** Room of the names of rows, as a part of the width and at most. */
const NAMES_PART = 0.35;
const NAMES_MAX_PX = 180;
/** Between a name and its bar. */
const GAP_PX = 8;
/** Width of a character of the axes, roughly. */
const CHARACTER_PX = 7.5;

/** Draws bars into an empty element, as wide as it is, also when its width changes. `onPoint` is told the bar below the pointer. Call the returned function to remove them. */
export function drawBars(box: HTMLElement, data: BarData, colours: BarColours, onPoint: (index: number | undefined) => void): () => void {
  const height = data.layout === "columns" ? COLUMNS_PX : data.names.length * ROW_PX + AXIS_PX;
  const width = (): number => Math.max(1, Math.floor(box.clientWidth));
  const plot = new uPlot(
    optionsOf(data, colours, { width: width(), height }, onPoint),
    [data.names.map((_, index) => index), ...stackEnds(data.names, data.series)],
    box,
  );
  const observer = new ResizeObserver(() => {
    if (width() !== plot.width) plot.setSize({ width: width(), height });
  });
  observer.observe(box);
  return () => {
    observer.disconnect();
    plot.destroy();
  };
}

function optionsOf(
  { layout, names, series, format }: BarData,
  { text, line, font, series: fills }: BarColours,
  size: { readonly width: number; readonly height: number },
  onPoint: (index: number | undefined) => void,
): uPlot.Options {
  const isRows = layout === "rows";
  const bars = uPlot.paths.bars?.({ size: [0.7, 40] });
  const axis = { stroke: text, font: `12px ${font}` };
  const namesPx = (plot: uPlot): number => Math.min(NAMES_MAX_PX, Math.floor(plot.width * NAMES_PART));
  return {
    ...size,
    legend: { show: false },
    cursor: { y: false, x: false, points: { show: false }, drag: { x: false, y: false, setScale: false } },
    scales: {
      x: { time: false, range: [-0.5, names.length - 0.5], ori: isRows ? 1 : 0, dir: isRows ? -1 : 1 },
      y: { range: (_plot, _min, max) => [0, max > 0 ? max * 1.05 : 1], ori: isRows ? 0 : 1 },
    },
    axes: [
      {
        ...axis,
        side: isRows ? 3 : 2,
        grid: { show: false },
        ticks: { show: false },
        gap: GAP_PX,
        incrs: isRows ? [1] : [1, 2, 5, 7, 14, 30, 60, 90, 180, 365],
        space: isRows ? 1 : 56,
        size: isRows ? namesPx : AXIS_PX,
        values: (plot, splits) =>
          splits.map((index) =>
            shorten(names[index] ?? "", isRows ? Math.floor((namesPx(plot) - GAP_PX) / CHARACTER_PX) : Number.POSITIVE_INFINITY),
          ),
      },
      {
        ...axis,
        side: isRows ? 2 : 3,
        grid: { stroke: line, width: 1 },
        ticks: { show: false },
        space: isRows ? 72 : 40,
        size: isRows ? AXIS_PX : 64,
        values: (_plot, splits) => splits.map(format),
      },
    ],
    series: [
      {},
      ...series.map((_, index) => ({
        fill: fills[series.length - 1 - index] ?? text,
        width: 0,
        points: { show: false },
        ...(bars && { paths: bars }),
      })),
    ],
    hooks: { setCursor: [({ cursor: { idx } }) => onPoint(idx ?? undefined)] },
  };
}

/** A name without its middle: the end of a model's name says as much as its beginning. */
function shorten(name: string, characters: number): string {
  const all = Array.from(new Intl.Segmenter().segment(name), ({ segment }) => segment);
  if (all.length <= characters) return name;
  const kept = Math.max(2, characters - 1);
  const head = Math.floor(kept / 2);
  return `${all.slice(0, head).join("")}…${all.slice(head - kept).join("")}`;
}
