import { existsSync } from "node:fs";
import process from "node:process";
import { productEntry } from "@factotum/testing-product";
import { parseChaosOptions, USAGE } from "./chaos-options.ts";
import { describeKills } from "./kills/describe-kills.ts";
import { runKills } from "./kills/run-kills.ts";
import type { KillsOptions } from "./kills/run-kills.ts";

let options: KillsOptions | undefined;
try {
  options = parseChaosOptions(process.argv.slice(2), () => Math.floor(Math.random() * 2 ** 31));
} catch (error) {
  console.error(`${error instanceof Error ? error.message : "The options cannot be read."}\n\n${USAGE}`);
  process.exitCode = 2;
}
if (options !== undefined) process.exitCode = await main(options);

async function main(chosen: KillsOptions): Promise<number> {
  const entry = chosen.entry ?? productEntry;
  if (!existsSync(entry)) {
    console.error(`${entry} is not there. Build the product first: pnpm build`);
    return 1;
  }
  console.error(`seed ${chosen.seed}`);
  const report = await runKills({
    ...chosen,
    onKill: ({ name, unfinished }, index) => console.error(`${index}/${chosen.kills} ${name}, ${unfinished} unfinished`),
  });
  console.log(describeKills(chosen, report));
  return report.problems.length === 0 ? 0 : 1;
}
