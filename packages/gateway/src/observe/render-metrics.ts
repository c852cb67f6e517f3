import { METRICS } from "./metric-table.ts";
import type { MetricName } from "./metric-table.ts";
import type { Sample } from "./tally.ts";

/** The samples of one scrape: every family, including those without a sample yet. */
export type CollectedMetrics = { readonly [Name in MetricName]: readonly Sample[] };

/** The text format of Prometheus, version 0.0.4. Pure. */
export function renderMetrics(collected: CollectedMetrics): string {
  return (Object.keys(METRICS) as MetricName[])
    .flatMap((name) => {
      const { help, type } = METRICS[name];
      return [
        `# HELP ${name} ${escapeText(help)}`,
        `# TYPE ${name} ${type}`,
        ...collected[name].map((sample) => renderSample(name, sample)),
      ];
    })
    .map((line) => `${line}\n`)
    .join("");
}

function renderSample(name: string, { suffix, labels, value }: Sample): string {
  const pairs = Object.entries(labels).map(([label, text]) => `${label}="${escapeText(text).replaceAll('"', '\\"')}"`);
  return `${name}${suffix ?? ""}${pairs.length === 0 ? "" : `{${pairs.join(",")}}`} ${renderValue(value)}`;
}

function escapeText(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("\n", "\\n");
}

function renderValue(value: number): string {
  if (Number.isNaN(value)) return "NaN";
  return Number.isFinite(value) ? String(value) : value > 0 ? "+Inf" : "-Inf";
}
