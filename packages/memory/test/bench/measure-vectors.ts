import type { TextEmbeddings } from "@factotum/agent-contract";
import { chunkNote } from "../../src/chunks/chunk-note.ts";
import { statementsOf } from "../../src/vectors/statements.ts";
import { toPassage, unitVector, VectorSet } from "../../src/vectors/vector-set.ts";
import { createCorpus, type Corpus } from "../recall/corpus.ts";
import { measureRecall, reportOf, type Asked, type Recall, type RecallReport } from "../recall/measure-recall.ts";

const AT = 6;
const BATCH = 32;
const SIGNAL = new AbortController().signal;
const PARTS = ["lexical", "otherWords"] as const;
const MEASURES = ["recallAt6", "ndcgAt6", "staleRate"] as const;

/**
 * Recall, nDCG, rates of stale facts and of false hits by words alone, by vectors alone and by both, for English and Chinese questions: the means over the seeds,
 * as a table.
 */
export async function measureVectors(seeds: readonly number[], model: TextEmbeddings): Promise<string> {
  const embeddings = onceEach(model);
  const rows: string[] = [
    "| questions | searched by | number | recall@6 | nDCG@6 | older fact first | false hits |",
    "|---|---|---|---|---|---|---|",
  ];
  for (const language of ["en", "zh"] as const) {
    const corpora = seeds.map((seed) => ofLanguage(createCorpus(seed), language));
    const reports = {
      words: await each(corpora, async (corpus) => measureRecall(corpus)),
      vectors: await each(corpora, async (corpus) => searchVectors(corpus, embeddings)),
      both: await each(corpora, async (corpus) => measureRecall(corpus, { embeddings })),
    };
    for (const part of PARTS)
      for (const [name, all] of Object.entries(reports))
        rows.push(`| ${language}, ${part} | ${name} | ${meanOf(all.map((one) => one[part]))} | |`);
    for (const [name, all] of Object.entries(reports)) {
      const unanswerable = all.flatMap(({ byShape }) => byShape.get("unanswerable") ?? []);
      rows.push(
        `| ${language}, unanswerable | ${name} | ${unanswerable[0]?.questions} | | | | ${mean(unanswerable.flatMap(({ falseHitRateAtSeven: rate }) => rate ?? []))} |`,
      );
    }
  }
  return rows.join("\n");
}

/** Each text is embedded once: every search is over the same notes. */
function onceEach(model: TextEmbeddings): TextEmbeddings {
  const known = new Map<string, readonly number[]>();
  return {
    model: () => model.model(),
    embed: async (texts, options) => {
      const missing = [...new Set(texts)].filter((text) => !known.has(text));
      const vectors = missing.length === 0 ? [] : await model.embed(missing, options);
      for (const [index, text] of missing.entries()) known.set(text, vectors[index] ?? []);
      return texts.map((text) => known.get(text) ?? []);
    },
  };
}

/** All notes, and the questions of one language. */
function ofLanguage({ notes, questions }: Corpus, language: "en" | "zh"): Corpus {
  return { notes, questions: questions.filter(({ text }) => /\p{Script=Han}/u.test(text) === (language === "zh")) };
}

/** By cosine alone. */
async function searchVectors({ notes, questions }: Corpus, embeddings: TextEmbeddings): Promise<RecallReport> {
  const passages = [...notes].flatMap(([path, text]) => chunkNote(text).map((chunk) => ({ path, ...chunk })));
  const statements = passages.flatMap(({ text }, passage) => statementsOf(text).map((statement) => ({ passage, statement })));
  const vectors = await embedAll(
    statements.map(({ statement }) => statement),
    embeddings,
  );
  const set = new VectorSet();
  for (const [passage, of] of Map.groupBy(vectors.entries(), ([index]) => statements[index]?.passage ?? 0))
    set.add(
      toPassage(
        String(passage),
        of.map(([, vector]) => vector),
      ),
    );
  const queries = await embedAll(
    questions.map(({ text }) => text),
    embeddings,
  );
  const asked: Asked[] = [];
  for (const [index, question] of questions.entries()) {
    const near = await set.nearest(queries[index] ?? new Float32Array(), { count: AT, isWanted: () => true, signal: SIGNAL });
    asked.push({ question, hits: near.flatMap(({ textHash, cosine }) => hitOf(passages[Number(textHash)], cosine)) });
  }
  return reportOf(asked);
}

function hitOf(passage: Omit<Asked["hits"][number], "score"> | undefined, score: number): Asked["hits"] {
  return passage === undefined ? [] : [{ ...passage, score }];
}

async function embedAll(texts: readonly string[], embeddings: TextEmbeddings): Promise<readonly Float32Array[]> {
  const options = { model: embeddings.model() ?? "", agentId: "main", signal: SIGNAL };
  const vectors: Float32Array[] = [];
  for (let from = 0; from < texts.length; from += BATCH)
    vectors.push(...(await embeddings.embed(texts.slice(from, from + BATCH), options)).map(unitVector));
  return vectors;
}

async function each<Item, Result>(items: readonly Item[], work: (item: Item) => Promise<Result>): Promise<readonly Result[]> {
  const results: Result[] = [];
  for (const item of items) results.push(await work(item));
  return results;
}

function meanOf(all: readonly Recall[]): string {
  return [all[0]?.questions, ...MEASURES.map((name) => mean(all.flatMap((one) => one[name] ?? [])))].join(" | ");
}

function mean(values: readonly number[]): string {
  return values.length === 0 ? "" : (values.reduce((sum, value) => sum + value, 0) / values.length).toFixed(2);
}
