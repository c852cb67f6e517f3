import { resolve } from "node:path";
import process from "node:process";
import { pathToFileURL } from "node:url";
import type { TextEmbeddings } from "@factotum/agent-contract";
import { createCorpus } from "../recall/corpus.ts";
import { measureRecall, type Recall } from "../recall/measure-recall.ts";
import { createTestEmbeddings, hashedBigramVector } from "../test-embeddings.ts";
import { measureSpeed } from "./measure-speed.ts";
import { measureVectors } from "./measure-vectors.ts";

/**
 * Prints recall over the generated questions of several seeds, and times over 50,000 passages, as Markdown. `--recall` or `--speed` for one of both; `--vectors
 * [FILE]` for recall by words, by vectors and by both, with the model of a module that exports `embed(texts)`; without one, with hashed pairs of characters.
 */
const [, , only, file] = process.argv;
const SEEDS = process.env["FACTOTUM_MEMORY_SEEDS"]?.split(",").map(Number) ?? [1, 2, 3];

if (only === "--vectors") print(await measureVectors(SEEDS, await embedderOf(file)));
else if (only !== "--speed") {
  print(
    "| seed | questions | number | recall@6 | nDCG@6 | stale facts first | false hits | answers of 0.65 or more |\n|---|---|---|---|---|---|---|---|",
  );
  for (const seed of SEEDS) {
    const { lexical, otherWords, byShape } = await measureRecall(createCorpus(seed));
    for (const [name, recall] of [["lexical, all", lexical] as const, ...byShape, ["in other words", otherWords] as const])
      print(rowOf(`${seed} | ${name}`, recall));
  }
}
if (only !== "--recall" && only !== "--vectors") {
  const { passages, files, ...times } = await measureSpeed({ files: 500 });
  print(`\n${passages} passages in ${files} files, ms\n\n| what | p50 | p95 | p50, processor | p95, processor |\n|---|---|---|---|---|`);
  for (const [name, { wallP50, wallP95, cpuP50, cpuP95 }] of Object.entries(times))
    print(`| ${name} | ${[wallP50, wallP95, cpuP50, cpuP95].map((ms) => ms.toFixed(1)).join(" | ")} |`);
}

type Embed = (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;

async function embedderOf(module: string | undefined): Promise<TextEmbeddings> {
  const embeddings = createTestEmbeddings(hashedBigramVector);
  if (module !== undefined) {
    const { embed } = (await import(pathToFileURL(resolve(module)).href)) as { readonly embed: Embed };
    embeddings.answer = embed;
  }
  return embeddings;
}

function rowOf(name: string, { questions, recallAt6, ndcgAt6, staleRate, falseHitRate, trustedRate }: Recall): string {
  const shares = [recallAt6, ndcgAt6, staleRate, falseHitRate, trustedRate];
  return `| ${name} | ${questions} | ${shares.map((share) => (share === undefined ? "" : share.toFixed(2))).join(" | ")} |`;
}

function print(text: string): void {
  process.stdout.write(`${text}\n`);
}
