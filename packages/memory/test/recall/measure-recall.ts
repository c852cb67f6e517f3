import type { MemoryHit, TextEmbeddings } from "@factotum/agent-contract";
import { allEmbedded } from "../all-embedded.ts";
import { AGENT, createNoteRig } from "../note-rig.ts";
import { SHAPES, type Corpus, type Place, type Question, type Shape } from "./corpus.ts";

/** Hits that count. */
const AT = 6;
/** A search that answers nothing should have no hit of this score. */
export const TRUSTED_SCORE = 0.65;

/** How well questions are answered. Shares of 0 to 1; `undefined` where no question counts. */
export interface Recall {
  readonly questions: number;
  /** Mean share of the answering lines among the first six hits. */
  readonly recallAt6: number | undefined;
  readonly ndcgAt6: number | undefined;
  /** Of the questions about something that changed: those whose best hit of both is the old line. */
  readonly staleRate: number | undefined;
  /** Of the unanswerable ones: those with a hit of 0.65 or more. */
  readonly falseHitRate: number | undefined;
  /** The same, in place of 0.65 for the score that 7 of 10 of the answerable lexical questions have an answering hit of: comparable between scores of any scale. */
  readonly falseHitRateAtSeven: number | undefined;
  /** Of the answerable ones: those with an answering hit of 0.65 or more. */
  readonly trustedRate: number | undefined;
}

/** Results by part of the set. */
export interface RecallReport {
  readonly lexical: Recall;
  readonly otherWords: Recall;
  readonly byShape: ReadonlyMap<Shape, Recall>;
}

/** A question, and what was found for it. */
export interface Asked {
  readonly question: Question;
  readonly hits: readonly Pick<MemoryHit, "path" | "startLine" | "endLine" | "score">[];
}

/** Asks all questions of a corpus; with `embeddings` once every passage has a vector. */
export async function measureRecall(
  { notes, questions }: Corpus,
  { embeddings }: { readonly embeddings?: TextEmbeddings } = {},
): Promise<RecallReport> {
  await using rig = await createNoteRig({ waitMs: 300_000, ...(embeddings === undefined ? {} : { embeddings }) });
  for (const [path, text] of notes) await rig.put(path, text);
  await rig.memory.index({ ...AGENT, rebuild: true });
  if (embeddings !== undefined) await allEmbedded(rig.memory);
  const asked: Asked[] = [];
  for (const question of questions) asked.push({ question, hits: (await rig.search(question.text, { maxResults: AT })).hits });
  return reportOf(asked);
}

/** The results by part of the set. */
export function reportOf(asked: readonly Asked[]): RecallReport {
  const answerable = asked.filter(({ question }) => question.gold.length > 0);
  const seven = scoreOfSeven(answerable.filter(({ question }) => question.isLexical));
  const summarise = (some: readonly Asked[]): Recall => recallOf(some, seven);
  return {
    lexical: summarise(answerable.filter(({ question }) => question.isLexical)),
    otherWords: summarise(answerable.filter(({ question }) => !question.isLexical)),
    byShape: new Map(
      SHAPES.map((shape) => [shape, summarise(asked.filter(({ question }) => question.shape === shape && question.isLexical))]),
    ),
  };
}

/** The score that the best answering hit of 7 of 10 questions has; negative if fewer have any. */
function scoreOfSeven(answerable: readonly Asked[]): number {
  const best = answerable.map(({ question: { gold }, hits }) =>
    Math.max(-1, ...hits.flatMap((hit) => (gold.some((place) => holds(hit, place)) ? [hit.score] : []))),
  );
  return best.toSorted((one, other) => other - one)[Math.ceil(0.7 * best.length) - 1] ?? -1;
}

function recallOf(asked: readonly Asked[], seven: number): Recall {
  const answerable = asked.filter(({ question }) => question.gold.length > 0);
  const changed = asked.filter(({ question }) => question.stale.length > 0);
  const unanswerable = asked.filter(({ question }) => question.gold.length === 0);
  const share = (of: readonly Asked[], value: (one: Asked) => number): number | undefined =>
    of.length === 0 ? undefined : of.reduce((sum, one) => sum + value(one), 0) / of.length;
  return {
    questions: asked.length,
    recallAt6: share(answerable, ({ question: { gold }, hits }) => gold.filter((place) => rankOf([place], hits) < AT).length / gold.length),
    ndcgAt6: share(answerable, ndcg),
    staleRate: share(changed, ({ question: { gold, stale }, hits }) => Number(rankOf(stale, hits) < rankOf(gold, hits))),
    falseHitRate: share(unanswerable, ({ hits }) => Number(hits.some(({ score }) => score >= TRUSTED_SCORE))),
    falseHitRateAtSeven: share(unanswerable, ({ hits }) => Number(hits.some(({ score }) => score >= seven))),
    trustedRate: share(answerable, ({ question: { gold }, hits }) =>
      Number(hits.some((hit) => hit.score >= TRUSTED_SCORE && gold.some((place) => holds(hit, place)))),
    ),
  };
}

/** Of the first hit with one of the places; 6 without one. */
function rankOf(places: readonly Place[], hits: Asked["hits"]): number {
  const at = hits.findIndex((hit) => places.some((place) => holds(hit, place)));
  return at === -1 ? AT : at;
}

function holds({ path, startLine, endLine }: Asked["hits"][number], place: Place): boolean {
  return path === place.path && startLine <= place.line && place.line <= endLine;
}

function ndcg({ question: { gold }, hits }: Asked): number {
  const gain = (rank: number): number => 1 / Math.log2(rank + 2);
  const found = hits.map((hit, rank) => (gold.some((place) => holds(hit, place)) ? gain(rank) : 0));
  const ideal = gold.slice(0, AT).map((_, rank) => gain(rank));
  return sum(found) / sum(ideal);
}

function sum(values: readonly number[]): number {
  return values.reduce((total, value) => total + value, 0);
}
