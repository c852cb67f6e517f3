import { expect, test } from "vitest";
import { createCorpus } from "./corpus.ts";
import { measureRecall } from "./measure-recall.ts";

const corpus = createCorpus(1);

test("300 questions, the same for the same seed; 150 and more are lexical", () => {
  expect(corpus.questions).toHaveLength(300);
  expect(corpus.notes.size).toBe(500);
  expect(corpus.questions.filter(({ isLexical, gold }) => isLexical && gold.length > 0).length).toBeGreaterThanOrEqual(150);
});

test("the lexical questions are answered within six hits, and by what was noted last", { timeout: 120_000 }, async () => {
  const { lexical, byShape } = await measureRecall(corpus);
  expect(lexical.recallAt6).toBeGreaterThanOrEqual(0.9);
  expect(lexical.ndcgAt6).toBeGreaterThanOrEqual(0.85);
  expect(lexical.staleRate).toBeLessThanOrEqual(0.2);
  // A score that tells answers from the rest.
  expect(lexical.trustedRate).toBeGreaterThanOrEqual(0.65);
  expect(byShape.get("unanswerable")?.falseHitRate).toBeLessThanOrEqual(0.25);
});
