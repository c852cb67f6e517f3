import { mkdir, writeFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";
import { renderPlot } from "./render-plot.ts";
import type { SoakReport } from "./run-soak.ts";

const RESULTS = fileURLToPath(new URL("../../results/", import.meta.url));

/** Writes a run's picture and its samples; resolves with the picture's path. */
export async function saveSoak(report: SoakReport): Promise<string> {
  await mkdir(RESULTS, { recursive: true });
  const picture = `${RESULTS}soak-${report.turns}.svg`;
  await writeFile(picture, renderPlot(report));
  await writeFile(`${RESULTS}soak-${report.turns}.json`, `${JSON.stringify(report, undefined, 2)}\n`);
  return picture;
}
