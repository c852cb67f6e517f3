import { chunkNote } from "../../src/chunks/chunk-note.ts";
import { queryTokens } from "../../src/tokens/query-tokens.ts";
import { tokenize } from "../../src/tokens/tokenize.ts";
import { CHINESE, ENGLISH, type Language, type Scene } from "./language.ts";
import { SeededRandom } from "./random.ts";

/** The shapes of LongMemEval. */
export const SHAPES = ["single-session", "multi-session", "preference", "temporal", "knowledge-update", "unanswerable"] as const;

/** Name of a shape. */
export type Shape = (typeof SHAPES)[number];

/** Where a line stands. */
export interface Place {
  readonly path: string;
  readonly line: number;
}

/** A question about the notes. */
export interface Question {
  readonly shape: Shape;
  readonly text: string;
  /** Its words are in the lines that answer it. The others use other words. */
  readonly isLexical: boolean;
  /** The lines that answer it; none: nothing does. */
  readonly gold: readonly Place[];
  /** Lines that did before something changed. */
  readonly stale: readonly Place[];
}

/** Notes by path, and questions about them. */
export interface Corpus {
  readonly notes: ReadonlyMap<string, string>;
  readonly questions: readonly Question[];
}

const DAYS = 500;
const LAST_DAY_MS = Date.UTC(2026, 10, 27);
const DAY_MS = 24 * 60 * 60_000;
/** Of each shape and language. Unanswerable ones have other words for none. */
const LEXICAL = 20;
const OTHER_WORDS = 5;
/** Plans beyond that: those that turn out too easy or ambiguous are left out. */
const SPARE = 60;
/** Passages that answer nothing and share as many words with the question as the one that does. */
export const DISTRACTORS = 5;

/** A line of a day; the object stands for its place until all lines are there. */
interface Line {
  readonly text: string;
}

interface Plan {
  readonly shape: Shape;
  readonly language: Language;
  readonly text: string;
  readonly isLexical: boolean;
  /** A rare word tells the answer from the rest; otherwise it is that all words stand in one line. */
  readonly isNamed: boolean;
  readonly gold: readonly Line[];
  readonly stale: readonly Line[];
}

/** 500 days of notes in English and Chinese, and 300 questions, the same for the same seed. */
export function createCorpus(seed: number): Corpus {
  const random = new SeededRandom(seed);
  const days: Line[][] = Array.from({ length: DAYS }, () => []);
  for (const day of days) for (let left = 4 + random.below(6); left > 0; left -= 1) day.push({ text: filler(random) });
  const plans = [ENGLISH, CHINESE].flatMap((language) =>
    SHAPES.flatMap((shape) => {
      const planner = new Planner(random, { days, language, shape });
      const count = LEXICAL + (shape === "unanswerable" ? OTHER_WORDS : 0);
      const lexical = Array.from({ length: count + SPARE }, (_, index) => planner.lexical(index % 2 === 0));
      return [...lexical, ...(shape === "unanswerable" ? [] : Array.from({ length: OTHER_WORDS }, () => planner.inOtherWords()))];
    }),
  );
  const { notes, places } = render(days, random);
  return { notes, questions: choose(plans, { notes, places }) };
}

/** Puts lines into days, and asks about them. */
class Planner {
  readonly #random: SeededRandom;
  readonly #days: readonly Line[][];
  readonly #language: Language;
  readonly #shape: Shape;

  constructor(random: SeededRandom, parts: { readonly days: readonly Line[][]; readonly language: Language; readonly shape: Shape }) {
    this.#random = random;
    this.#days = parts.days;
    this.#language = parts.language;
    this.#shape = parts.shape;
  }

  lexical(isNamed: boolean): Plan {
    const { scene: createScene, name: createName, detail, ...words } = this.#language;
    const scene = createScene(this.#random);
    const name = createName(this.#random);
    const common = { shape: this.#shape, language: this.#language, isLexical: true, isNamed: true, stale: [] };
    const named = (): string => words.named(scene, name, detail(this.#random));
    switch (this.#shape) {
      case "single-session":
        return isNamed
          ? { ...common, gold: this.#put([named()]), text: this.#amongUnnamed(scene, words.askNamed(scene, name)) }
          : {
              ...common,
              isNamed: false,
              gold: this.#put([words.all(scene, detail(this.#random))]),
              text: this.#amongParts(scene, words.ask(scene)),
            };
      case "multi-session":
        return { ...common, gold: this.#put([named(), named(), named()]), text: this.#amongUnnamed(scene, words.askHowOften(scene, name)) };
      case "preference":
        for (let left = DISTRACTORS + 3; left > 0; left -= 1) this.#put([words.prefersOther(scene)]);
        return { ...common, gold: this.#put([words.prefers(scene, name, detail(this.#random))]), text: words.askPreference(scene, name) };
      case "temporal": {
        const other = createScene(this.#random);
        const gold = this.#put([scene, other].map((one) => words.all(one, detail(this.#random))));
        return { ...common, isNamed: false, gold, text: this.#amongParts(scene, this.#amongParts(other, words.askBetween(scene, other))) };
      }
      case "knowledge-update": {
        const [old, current] = this.#putInOrder(named(), isNamed ? named() : words.namedLater(scene, name, detail(this.#random)));
        return { ...common, gold: [current], stale: [old], text: this.#amongUnnamed(scene, words.askNow(scene, name)) };
      }
      case "unanswerable":
        return isNamed
          ? { ...common, gold: [], text: this.#amongUnnamed(scene, words.askNamed(scene, name)) }
          : { ...common, gold: [], text: this.#amongParts(scene, words.ask(scene)) };
    }
  }

  inOtherWords(): Plan {
    const scene = this.#language.scene(this.#random);
    const line = (): string => this.#language.all(scene, this.#language.detail(this.#random));
    const common = {
      shape: this.#shape,
      language: this.#language,
      isLexical: false,
      isNamed: false,
      text: this.#language.paraphrase(scene),
    };
    if (this.#shape !== "knowledge-update") {
      const count = this.#shape === "multi-session" ? 3 : this.#shape === "temporal" ? 2 : 1;
      return { ...common, gold: this.#put(Array.from({ length: count }, line)), stale: [] };
    }
    const [old, current] = this.#putInOrder(line(), line());
    return { ...common, gold: [current], stale: [old] };
  }

  /** Each on another day. */
  #put(texts: readonly string[]): readonly Line[] {
    const days = this.#random.sample(this.#days, texts.length);
    return texts.map((text, index) => insert({ text }, days[index] ?? [], this.#random));
  }

  /** The second at least 30 days after the first. */
  #putInOrder(first: string, second: string): readonly [Line, Line] {
    const at = this.#random.below(DAYS - 60);
    const later = at + 30 + this.#random.below(DAYS - at - 30);
    return [insert({ text: first }, this.#days[at] ?? [], this.#random), insert({ text: second }, this.#days[later] ?? [], this.#random)];
  }

  #amongUnnamed(scene: Scene, question: string): string {
    this.#put(Array.from({ length: DISTRACTORS + 3 }, () => this.#language.unnamed(scene)));
    return question;
  }

  /** Days on which every word stands somewhere, in lines of their own. */
  #amongParts(scene: Scene, question: string): string {
    for (const day of this.#random.sample(this.#days, DISTRACTORS + 3))
      for (const part of this.#language.parts) insert({ text: part(scene) }, day, this.#random);
    return question;
  }
}

function insert(line: Line, day: Line[], random: SeededRandom): Line {
  day.splice(random.below(day.length + 1), 0, line);
  return line;
}

function filler(random: SeededRandom): string {
  const { scene, all, parts, unnamed, prefersOther, detail, name } = random.pick([ENGLISH, CHINESE]);
  const about = scene(random);
  const kinds = [
    () => all(about, detail(random)),
    () => random.pick(parts)(about),
    () => unnamed(about),
    () => prefersOther(about),
    () => `${name(random)}: ${detail(random)}.`,
  ];
  return random.pick(kinds)();
}

function render(
  days: readonly (readonly Line[])[],
  random: SeededRandom,
): { readonly notes: ReadonlyMap<string, string>; readonly places: ReadonlyMap<Line, Place> } {
  const notes = new Map<string, string>();
  const places = new Map<Line, Place>();
  for (const [index, day] of days.entries()) {
    const date = new Date(LAST_DAY_MS - (DAYS - 1 - index) * DAY_MS).toISOString().slice(0, 10);
    const path = `memory/${date}.md`;
    const lines = [`# ${date}`, ""];
    for (const [at, line] of day.entries()) {
      if (at % 8 === 0) lines.push(`## ${random.pick([ENGLISH, CHINESE]).heading(random)}`);
      lines.push(`- ${line.text}`);
      places.set(line, { path, line: lines.length });
    }
    notes.set(path, `${lines.join("\n")}\n`);
  }
  return { notes, places };
}

/** Leaves out lexical questions without enough distractors, or with another line that answers as well. */
function choose(plans: readonly Plan[], { notes, places }: ReturnType<typeof render>): readonly Question[] {
  const isGood = createFilter({ notes, places });
  const placesOf = (of: readonly Line[]): readonly Place[] => of.flatMap((line) => places.get(line) ?? []);
  const taken = new Map<string, number>();
  return plans.flatMap((plan) => {
    const { shape, text, isLexical, gold, stale } = plan;
    const key = `${shape} ${plan.language === ENGLISH ? "en" : "zh"} ${isLexical ? "lexical" : "other"}`;
    const count = taken.get(key) ?? 0;
    const wanted = isLexical ? LEXICAL + (shape === "unanswerable" ? OTHER_WORDS : 0) : OTHER_WORDS;
    if (count >= wanted || (isLexical && !isGood(plan))) return [];
    taken.set(key, count + 1);
    return [{ shape, text, isLexical, gold: placesOf(gold), stale: placesOf(stale) }];
  });
}

function createFilter({ notes, places }: ReturnType<typeof render>): (plan: Plan) => boolean {
  const passages = [...notes].flatMap(([path, text]) => chunkNote(text).map((chunk) => ({ ...chunk, path })));
  const sharedWithPassages = createCounter(passages.map(({ headings, text }) => [...headings, text].join("\n")));
  const byLine = new Map(
    passages.flatMap(({ path, startLine, endLine }, index) =>
      Array.from({ length: endLine - startLine + 1 }, (_, at) => [`${path}#${startLine + at}`, index] as const),
    ),
  );
  const passageOf = (line: Line): number => {
    const place = places.get(line);
    return place === undefined ? -1 : (byLine.get(`${place.path}#${place.line}`) ?? -1);
  };
  const lines = [...places.keys()];
  const sharedWithLines = createCounter(lines.map(({ text }) => text));
  const numbers = new Map(lines.map((line, index) => [line, index]));
  return ({ text, isNamed, gold, stale }) => {
    const wanted = queryTokens(text);
    const inPassages = sharedWithPassages(wanted);
    const inLines = sharedWithLines(wanted);
    const own = new Set([...gold, ...stale].map(passageOf));
    const ownLines = new Set([...gold, ...stale].map((line) => numbers.get(line)));
    return gold.every((line) => {
      const count = inPassages[passageOf(line)] ?? Number.POSITIVE_INFINITY;
      const distractors = inPassages.filter((shared, index) => shared >= count && !own.has(index)).length;
      const best = inLines[numbers.get(line) ?? -1] ?? 0;
      return distractors >= DISTRACTORS && (isNamed || !inLines.some((shared, index) => shared >= best && !ownLines.has(index)));
    });
  };
}

/** Counts how many of some tokens each text has. */
function createCounter(texts: readonly string[]): (tokens: readonly string[]) => readonly number[] {
  const having = new Map<string, number[]>();
  for (const [index, text] of texts.entries())
    for (const token of new Set(tokenize(text))) {
      const known = having.get(token);
      if (known === undefined) having.set(token, [index]);
      else known.push(index);
    }
  return (tokens) => {
    const counts = texts.map(() => 0);
    for (const token of tokens) for (const index of having.get(token) ?? []) counts[index] = (counts[index] ?? 0) + 1;
    return counts;
  };
}
