import { existsSync } from "node:fs";
import process from "node:process";
import { productEntry } from "@factotum/testing-product";
import { parseChaosOptions, USAGE } from "./chaos-options.ts";
import type { ChaosTask } from "./chaos-options.ts";
import { describeKills } from "./kills/describe-kills.ts";
import { runKills } from "./kills/run-kills.ts";
import type { KillsOptions } from "./kills/run-kills.ts";
import { describeSoak } from "./soak/describe-soak.ts";
import { runSoak } from "./soak/run-soak.ts";
import type { SoakOptions } from "./soak/run-soak.ts";
import { saveSoak } from "./soak/save-soak.ts";

let task: ChaosTask | undefined;
try {
  task = parseChaosOptions(process.argv.slice(2), () => Math.floor(Math.random() * 2 ** 31));
} catch (error) {
  console.error(`${error instanceof Error ? error.message : "The options cannot be read."}\n\n${USAGE}`);
  process.exitCode = 2;
}
if (task !== undefined) process.exitCode = await main(task);

async function main(chosen: ChaosTask): Promise<number> {
  const entry = chosen.options.entry ?? productEntry;
  if (!existsSync(entry)) {
    console.error(`${entry} is not there. Build the product first: pnpm build`);
    return 1;
  }
  console.error(`seed ${chosen.options.seed}`);
  const problems = chosen.type === "kills" ? await kill(chosen.options) : await soak(chosen.options);
  return problems.length === 0 ? 0 : 1;
}

async function kill(options: KillsOptions): Promise<readonly string[]> {
  const report = await runKills({
    ...options,
    onKill: ({ name, unfinished }, index) => console.error(`${index}/${options.kills} ${name}, ${unfinished} unfinished`),
  });
  console.log(describeKills(options, report));
  return report.problems;
}

async function soak(options: SoakOptions): Promise<readonly string[]> {
  const report = await runSoak({
    ...options,
    onSample: ({ turns, rss, anonymous, heapUsed }) =>
      console.error(`${turns}/${options.turns} ${mib(rss)} MiB, ${mib(rss - anonymous)} of it files, heap ${mib(heapUsed)}`),
  });
  console.log(`${describeSoak(options, report)}\nThe picture is ${await saveSoak(report)}`);
  return report.problems;
}

function mib(bytes: number): string {
  return (bytes / 1024 ** 2).toFixed(1);
}
