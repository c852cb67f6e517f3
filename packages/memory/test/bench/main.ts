import process from "node:process";
import { createCorpus } from "../recall/corpus.ts";
import { measureRecall, type Recall } from "../recall/measure-recall.ts";
import { measureSpeed } from "./measure-speed.ts";

/** Prints recall over the generated questions of several seeds, and times over 50,000 passages, as Markdown. `--recall` or `--speed` for one of both. */
const only = process.argv[2];
const SEEDS = [1, 2, 3];

if (only !== "--speed") {
  print(
    "| seed | questions | number | recall@6 | nDCG@6 | stale facts first | false hits | answers of 0.65 or more |\n|---|---|---|---|---|---|---|---|",
  );
  for (const seed of SEEDS) {
    const { lexical, otherWords, byShape } = await measureRecall(createCorpus(seed));
    for (const [name, recall] of [["lexical, all", lexical] as const, ...byShape, ["in other words", otherWords] as const])
      print(rowOf(`${seed} | ${name}`, recall));
  }
}
if (only !== "--recall") {
  const { passages, files, ...times } = await measureSpeed({ files: 500 });
  print(`\n${passages} passages in ${files} files, ms\n\n| what | p50 | p95 | p50, processor | p95, processor |\n|---|---|---|---|---|`);
  for (const [name, { wallP50, wallP95, cpuP50, cpuP95 }] of Object.entries(times))
    print(`| ${name} | ${[wallP50, wallP95, cpuP50, cpuP95].map((ms) => ms.toFixed(1)).join(" | ")} |`);
}

function rowOf(name: string, { questions, recallAt6, ndcgAt6, staleRate, falseHitRate, trustedRate }: Recall): string {
  const shares = [recallAt6, ndcgAt6, staleRate, falseHitRate, trustedRate];
  return `| ${name} | ${questions} | ${shares.map((share) => (share === undefined ? "" : share.toFixed(2))).join(" | ")} |`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
