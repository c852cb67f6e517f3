import type { TextEmbeddings } from "@factotum/agent-contract";
import { tokenize } from "../src/tokens/tokenize.ts";

/** Embeddings that a test controls. */
export interface TestEmbeddings extends TextEmbeddings {
  /** Every request, oldest first. */
  readonly requests: (readonly string[])[];
  current: string | undefined;
  /** Answers in place of the vectors of `vectorOf`. */
  answer: ((texts: readonly string[], signal: AbortSignal) => Promise<readonly (readonly number[])[]>) | undefined;
  vectorOf: (text: string) => readonly number[];
  /** Resolves once this many texts have been asked for. */
  asked(count: number): Promise<void>;
}

export function createTestEmbeddings(vectorOf: (text: string) => readonly number[]): TestEmbeddings {
  const requests: (readonly string[])[] = [];
  const waiting: (() => void)[] = [];
  return {
    requests,
    current: "test/small",
    answer: undefined,
    vectorOf,
    model() {
      return this.current;
    },
    async embed(texts, { signal }) {
      requests.push(texts);
      for (const wake of waiting.splice(0)) wake();
      return this.answer === undefined ? Promise.resolve(texts.map((text) => this.vectorOf(text))) : this.answer(texts, signal);
    },
    async asked(count) {
      while (requests.flat().length < count) await new Promise<void>((resolve) => waiting.push(resolve));
    },
  };
}

/** One number for each concept: how many of its words a text has. */
export function conceptVector(concepts: readonly (readonly string[])[]): (text: string) => readonly number[] {
  return (text) => {
    const tokens = tokenize(text);
    return concepts.map((words) => tokens.filter((token) => words.includes(token)).length);
  };
}

/**
 * A deterministic stand-in for a model: the pairs of characters of each word, and of Chinese text, hashed into 384 numbers. It knows no meaning, only spelling.
 */
export function hashedBigramVector(text: string): readonly number[] {
  const numbers = Array.from({ length: 384 }, () => 0);
  for (const token of tokenize(text)) {
    const framed = `^${token}$`;
    for (let at = 0; at + 1 < framed.length; at += 1) {
      const place = hashOf(framed.slice(at, at + 2)) % numbers.length;
      numbers[place] = (numbers[place] ?? 0) + 1;
    }
  }
  return numbers;
}

function hashOf(text: string): number {
  let hash = 2_166_136_261;
  for (const character of text) hash = Math.imul(hash ^ (character.codePointAt(0) ?? 0), 16_777_619) >>> 0;
  return hash;
}
