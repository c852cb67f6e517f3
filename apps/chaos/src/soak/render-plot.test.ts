import { expect, test } from "vitest";
import { judgeSoak } from "./judge-soak.ts";
import { renderPlot } from "./render-plot.ts";

test("the picture has every sample, the fitted line and its figures, all inside the frame", () => {
  const samples = Array.from({ length: 50 }, (_, index) => ({
    turns: (index + 1) * 20,
    rss: 2 ** 27 + index * 2 ** 16,
    anonymous: 2 ** 26,
    heapUsed: 2 ** 25,
    external: 2 ** 23,
  }));
  const run = { turns: 1000, samples, before: {}, after: {} };
  const verdict = judgeSoak(run);
  const plot = renderPlot({ ...run, ...verdict });
  expect(plot).toContain(`fitted ${verdict.line.slope.toFixed(2)} MiB`);
  const curves = Array.from(plot.matchAll(/points="([^"]*)"/g), ([, points = ""]) => points.split(" "));
  expect(curves.map((points) => points.length)).toEqual([50, 50, 50, 50]);
  const places = curves.flat().map((point) => point.split(",").map(Number));
  for (const [x = -1, y = -1] of places) {
    expect(x >= 0 && x <= 900).toBe(true);
    expect(y >= 0 && y <= 420).toBe(true);
  }
  expect(plot.match(/<svg/g)).toHaveLength(1);
  expect(plot.trimEnd().endsWith("</svg>")).toBe(true);
});
