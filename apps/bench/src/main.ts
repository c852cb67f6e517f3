import process from "node:process";
import { productEntry } from "@factotum/testing-product";
import { existsSync } from "node:fs";
import { parseBenchOptions, USAGE, type BenchOptions } from "./bench-options.ts";
import { measureBuilds } from "./measure/measure-builds.ts";
import { measurePeer } from "./measure/measure-peer.ts";
import { PLANS, type Plan } from "./plan.ts";
import { checkRatios, checkSizes, checkTargets } from "./report/check-figures.ts";
import { listFigures, type Measurements } from "./report/figures.ts";
import { renderTable } from "./report/render-table.ts";
import { describeRun, readBaseline, writeResult } from "./report/results.ts";
import { runBench } from "./run-bench.ts";
import { measureSubagents } from "./subagents/measure-subagents.ts";
import { measureWeb } from "./web/measure-web.ts";
import { writeProfile } from "./write-profile.ts";

async function main(options: BenchOptions): Promise<number> {
  const missing = [options.entry ?? productEntry, options.against ?? productEntry].find((entry) => !existsSync(entry));
  if (missing !== undefined) {
    console.error(`${missing} is not there. Build the product first: pnpm build`);
    return 1;
  }
  if (process.platform !== "linux") {
    console.error("Not measured: memory and CPU time are read from /proc, which only Linux has.");
    return options.form === "sizes" ? 0 : 1;
  }
  if (options.profile) {
    console.log(`The profile is in ${await writeProfile(options.entry)}: open it in the performance panel of Chromium's developer tools.`);
    return 0;
  }
  const onStep = (step: string): void => console.error(`measuring ${step} …`);
  if (options.form === "web" || options.form === "subagents") {
    const measure = options.form === "web" ? measureWeb : measureSubagents;
    const measured = await measure({ entry: options.entry, onStep });
    if (options.record) console.log(`Recorded in ${writeResult(describeRun("web", { figures: measured, versions: {} }), "web")}`);
    const shown = options.form === "web" ? withRecorded(measured, readBaseline("web")) : measured;
    console.log(`\nNode ${process.version}\n\n${renderTable(shown, { floor: options.form === "web" ? "recorded" : "floor" })}\n`);
    return report(checkTargets(measured));
  }
  if (options.against !== undefined) {
    const { version, figures } = await measureBuilds(PLANS[options.form], { entry: options.entry, against: options.against, onStep });
    console.log(
      `\nFactotum ${version}, Node ${process.version}, against ${options.against}\n\n${renderTable(figures, { floor: "other" })}\n`,
    );
    return 0;
  }
  const { version, figures } = await runBench(PLANS[options.form], { entry: options.entry, onStep });
  const peer = options.peer ? await tryPeer(PLANS[options.form], onStep) : undefined;
  const versions = { factotum: version, ...(peer === undefined ? {} : { openclaw: peer.version }) };
  const result = describeRun(options.form, { figures, versions, ...(peer === undefined ? {} : { peer: peer.figures }) });
  console.log(
    `\nFactotum ${version}, Node ${process.version}, ${result.machine.cores} × ${result.machine.cpu}\n\n${renderTable(figures, { peer: peer?.figures })}\n`,
  );
  if (options.form === "sizes") return report(checkSizes(figures));
  if (options.form === "check") return report([...checkSizes(figures), ...checkRatios(figures, readBaseline("gateway"))]);
  console.log(`Written to ${writeResult(result, "run")}`);
  if (options.record) console.log(`Recorded in ${writeResult(result, "gateway")}`);
  return 0;
}

/** Figures with recorded ones in place of the floor. */
function withRecorded(measured: Measurements, recorded: Measurements): Measurements {
  return Object.fromEntries(
    listFigures().flatMap(([id]) => {
      const [now, then] = [measured[id]?.value, recorded[id]?.value];
      if (now === undefined) return [];
      return [
        [id, { value: now, ...(then !== undefined && { floor: then }), ...(then !== undefined && then > 0 && { ratio: now / then }) }],
      ];
    }),
  );
}

/** The peer comes from the network and may change at any time: a run without it is valid, and says so. */
async function tryPeer(plan: Plan, onStep: (step: string) => void): Promise<Awaited<ReturnType<typeof measurePeer>> | undefined> {
  try {
    return await measurePeer({ idleMs: plan.idleMs, turns: 1000, onStep });
  } catch (error) {
    console.error(`The peer is left out: ${error instanceof Error ? error.message : "it could not be measured"}`);
    return undefined;
  }
}

function report(problems: readonly string[]): number {
  for (const problem of problems) console.error(problem);
  return problems.length === 0 ? 0 : 1;
}

let options: BenchOptions | undefined;
try {
  options = parseBenchOptions(process.argv.slice(2));
} catch (error) {
  console.error(`${error instanceof Error ? error.message : "The options cannot be read."}\n\n${USAGE}`);
  process.exitCode = 2;
}
if (options !== undefined) process.exitCode = await main(options);
