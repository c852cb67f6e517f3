import { WARM_UP_SHARE } from "./judge-soak.ts";
import type { SoakRun, SoakVerdict } from "./judge-soak.ts";

const WIDTH = 900;
const HEIGHT = 420;
const LEFT = 70;
const BOTTOM = 50;
const TOP = 50;
const RIGHT = 20;

const COLOURS = { rss: "#1f6feb", heapUsed: "#2da44e", external: "#bf8700", anonymous: "#8250df" } as const;

/** Draws a run as SVG: memory over turns, the fitted line, and where the warm-up ends. Pure. */
export function renderPlot({ turns, samples, line }: SoakRun & Pick<SoakVerdict, "line">): string {
  const mib = (bytes: number): number => bytes / 1024 ** 2;
  const top = Math.ceil(Math.max(...samples.map(({ rss }) => mib(rss)), 1) / 50) * 50;
  const x = (at: number): string => (LEFT + (at / turns) * (WIDTH - LEFT - RIGHT)).toFixed(1);
  const y = (value: number): string => (HEIGHT - BOTTOM - (value / top) * (HEIGHT - TOP - BOTTOM)).toFixed(1);
  const fitted = (at: number): number => line.intercept + (line.slope * at) / 10_000;
  const warm = turns * WARM_UP_SHARE;
  const curve = (kind: keyof typeof COLOURS): string =>
    `<polyline fill="none" stroke="${COLOURS[kind]}" points="${samples.map((sample) => `${x(sample.turns)},${y(mib(sample[kind]))}`).join(" ")}"/>`;
  const grid = Array.from({ length: 6 }, (_, index) => (top / 5) * index).map(
    (value) =>
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${y(value)}" y2="${y(value)}" stroke="#ddd"/><text x="${LEFT - 8}" y="${y(value)}" text-anchor="end">${value}</text>`,
  );
  const ticks = Array.from({ length: 6 }, (_, index) => Math.round((turns / 5) * index)).map(
    (at) => `<text x="${x(at)}" y="${HEIGHT - BOTTOM + 18}" text-anchor="middle">${at}</text>`,
  );
  const names = Object.entries(COLOURS).map(
    ([kind, colour], index) => `<text x="${LEFT + 10 + index * 110}" y="${TOP - 8}" fill="${colour}">${kind}</text>`,
  );
  const title = `MiB over turns; fitted ${line.slope.toFixed(2)} MiB per 10,000 turns, 95 % up to ${line.slopeUpper95.toFixed(2)}`;
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${WIDTH}" height="${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<rect width="100%" height="100%" fill="white"/><text x="${LEFT}" y="20" font-size="14">${title}</text>`,
    ...grid,
    ...ticks,
    ...names,
    `<line x1="${x(warm)}" x2="${x(warm)}" y1="${TOP}" y2="${HEIGHT - BOTTOM}" stroke="#999" stroke-dasharray="4"/>`,
    curve("rss"),
    curve("anonymous"),
    curve("heapUsed"),
    curve("external"),
    `<line x1="${x(warm)}" y1="${y(fitted(warm))}" x2="${x(turns)}" y2="${y(fitted(turns))}" stroke="#cf222e" stroke-width="2"/>`,
    "</svg>",
    "",
  ].join("\n");
}
