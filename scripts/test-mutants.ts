// Measures the tests by mutation: changes one expression at a time and counts how many of the changes a test detects. Takes minutes per area, so it is not part
// of `npm test`. How to read the scores: docs/mutation-testing.md.

import { globSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Stryker } from "@stryker-mutator/core";
import { AREAS, type MutationArea } from "./mutants/areas.ts";
import { sampleLines } from "./mutants/sample-lines.ts";
import { scoreOf, type AreaScore } from "./mutants/scores.ts";
import { ROOT } from "./workspace.ts";

const USAGE = `Usage: pnpm test:mutants [areas or packages] [--all] [--record] [--changed] [--file GLOB]

  no name      every area: ${AREAS.map(({ name }) => name).join(", ")}
  --all        every line, not the fixed sample (hours)
  --file GLOB  only source files whose path contains this
  --changed    reuses the results of the last run where neither the mutant nor the tests that reach it have changed
  --record     writes the scores to scripts/mutants/scores.json
`;

const SCORES = join(ROOT, "scripts/mutants/scores.json");
const GOAL_PERCENT = 80;

async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    options: {
      all: { type: "boolean", default: false },
      record: { type: "boolean", default: false },
      changed: { type: "boolean", default: false },
      file: { type: "string" },
    },
    allowPositionals: true,
  });
  const areas = positionals.length === 0 ? AREAS : positionals.flatMap(findAreas);
  const scores: Record<string, AreaScore> = {};
  for (const area of areas) {
    const ranges = rangesOf(area, values);
    if (ranges.length === 0) {
      console.log(`${area.name}: nothing to change in the chosen files.`);
      continue;
    }
    scores[area.name] = scoreOf(await test(area, ranges, values), ROOT);
  }
  for (const [name, { survivors }] of Object.entries(scores))
    for (const survivor of survivors) console.log(`${name}: survived: ${survivor}`);
  for (const [name, { killed, total, score }] of Object.entries(scores)) console.log(`${name}: ${killed} of ${total} killed, ${score} %`);
  if (values.record) record(scores);
  process.exitCode = Object.values(scores).every(({ score }) => score >= GOAL_PERCENT) ? 0 : 1;
}

function findAreas(name: string): readonly MutationArea[] {
  const found = AREAS.filter((area) => area.name === name || area.folder === name || area.folder === `packages/${name}`);
  if (found.length > 0) return found;
  console.error(`There is no area or package "${name}".\n\n${USAGE}`);
  process.exit(2);
}

/** In the form `path:first-last`, or whole files. */
function rangesOf({ folder, sources, samplePercent }: MutationArea, { all, file }: { all: boolean; file?: string | undefined }): string[] {
  return globSync(
    sources.map((glob) => `${folder}/${glob}`),
    { cwd: ROOT },
  )
    .filter((path) => !/\.(test|gen)\.ts$/u.test(path) && path.includes(file ?? ""))
    .toSorted()
    .flatMap((path) =>
      all ? [path] : sampleLines(path, readFileSync(join(ROOT, path), "utf8"), samplePercent).map((line) => `${path}:${line}-${line}`),
    );
}

async function test(
  { name, folder, tests }: MutationArea,
  mutate: string[],
  { changed }: { changed: boolean },
): ReturnType<Stryker["runMutationTest"]> {
  return new Stryker({
    testRunner: "vitest",
    plugins: ["@stryker-mutator/vitest-runner"],
    mutate,
    mutator: { plugins: [], excludedMutations: ["StringLiteral"] },
    // A mutant that is evaluated at module load would need a process of its own.
    ignoreStatic: true,
    coverageAnalysis: "perTest",
    // The gateway's tests take minutes on a busy machine.
    dryRunTimeoutMinutes: 30,
    concurrency: 2,
    incremental: true,
    incrementalFile: join(ROOT, `node_modules/.cache/mutants/${name}.json`),
    force: !changed,
    timeoutMS: 30_000,
    // It would add a comment at the top of every file, and a test compares a generated file with its generator. Vitest checks no types.
    disableTypeChecks: false,
    ...(tests === undefined ? {} : { testFiles: [`${folder}/${tests}/**/*.test.ts`] }),
    vitest: { configFile: "vitest.config.ts", dir: folder, related: true },
    // It would rewrite the paths in tsconfig files with the compiler's JavaScript interface, which TypeScript 7 does not have.
    tsconfigFile: "none.json",
    tempDirName: ".stryker",
    reporters: ["progress-append-only"],
    allowConsoleColors: false,
  }).runMutationTest();
}

function record(scores: Readonly<Record<string, AreaScore>>): void {
  const before = JSON.parse(readFileSync(SCORES, "utf8")) as Record<string, AreaScore>;
  const merged = { ...before, ...scores };
  const sorted = Object.fromEntries(AREAS.flatMap(({ name }) => (merged[name] === undefined ? [] : [[name, merged[name]]])));
  writeFileSync(SCORES, `${JSON.stringify(sorted, undefined, 2)}\n`);
}

await main();
