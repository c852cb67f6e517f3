import { createHash } from "node:crypto";

/** Characters of a text that a search compares first: as many as the text has of these. */
const START_CHARS = [24, 16, 8, 4, 3, 2, 1];
/** Few values: what is stored does not give the beginning of a text away. */
const START_MASK = 0xf_ff_ff;
const BASE = 31;

/** A text that can be recognised and not read: its length, a few bits of its beginning, and its digest. */
export interface TextPattern {
  /** UTF-16 code units. */
  readonly length: number;
  readonly start: number;
  /** SHA-256 of the salt and the text, hexadecimal. */
  readonly digest: string;
}

/** The pattern of a text. Upper and lower case are the same. */
export function createTextPattern(text: string, salt: string): TextPattern {
  const folded = fold(text);
  const start = hashOf(folded.slice(0, startChars(folded.length))) & START_MASK;
  return { length: folded.length, start, digest: digestOf(folded, salt) };
}

/** Patterns with the same beginning: their digests by length. */
type Candidates = ReadonlyMap<number, ReadonlySet<string>>;

/** Finds the texts of patterns in other texts: a rolling hash of the beginning, then the digest. */
export class TextFinder {
  readonly #salt: string;
  /** By the number of characters that are compared first, and their hash. */
  readonly #groups: ReadonlyMap<number, ReadonlyMap<number, Candidates>>;

  constructor(patterns: readonly TextPattern[], salt: string) {
    this.#salt = salt;
    const bySize = Map.groupBy(patterns, ({ length }) => startChars(length));
    this.#groups = new Map([...bySize].map(([size, group]) => [size, candidatesByStart(group)]));
  }

  has(text: string): boolean {
    return !this.#spans(text).next().done;
  }

  /** The text with `instead` for each text that is found. */
  replace(text: string, instead: string): string {
    let [result, done] = ["", 0];
    for (const [from, to] of [...this.#spans(text)].toSorted((one, other) => one[0] - other[0] || other[1] - one[1])) {
      if (from >= done) result += text.slice(done, from) + instead;
      else if (to <= done) continue;
      done = Math.max(done, to);
    }
    return done === 0 ? text : result + text.slice(done);
  }

  *#spans(text: string): Generator<readonly [from: number, to: number]> {
    const folded = fold(text);
    for (const [size, patterns] of this.#groups) {
      if (size === 0 || folded.length < size) continue;
      const power = powerOf(size - 1);
      let hash = hashOf(folded.slice(0, size - 1));
      for (let from = 0; from + size <= folded.length; from += 1) {
        hash = (Math.imul(hash, BASE) + folded.charCodeAt(from + size - 1)) | 0;
        const candidates = patterns.get(hash & START_MASK);
        if (candidates !== undefined) {
          for (const [length, digests] of candidates)
            if (from + length <= folded.length && digests.has(digestOf(folded.slice(from, from + length), this.#salt)))
              yield [from, from + length];
        }
        hash = (hash - Math.imul(folded.charCodeAt(from), power)) | 0;
      }
    }
  }
}

function candidatesByStart(patterns: readonly TextPattern[]): ReadonlyMap<number, Candidates> {
  const toDigests = (group: readonly TextPattern[]): ReadonlySet<string> => new Set(group.map(({ digest }) => digest));
  const toCandidates = (group: readonly TextPattern[]): Candidates =>
    new Map([...Map.groupBy(group, ({ length }) => length)].map(([length, same]) => [length, toDigests(same)]));
  return new Map([...Map.groupBy(patterns, ({ start }) => start)].map(([start, group]) => [start, toCandidates(group)]));
}

function startChars(length: number): number {
  return START_CHARS.find((chars) => chars <= length) ?? 0;
}

/** Characters whose lower case is longer stay, so that positions are those of the text. */
function fold(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text;
}

function hashOf(text: string): number {
  let hash = 0;
  for (let index = 0; index < text.length; index += 1) hash = (Math.imul(hash, BASE) + text.charCodeAt(index)) | 0;
  return hash;
}

function powerOf(exponent: number): number {
  let power = 1;
  for (let count = 0; count < exponent; count += 1) power = Math.imul(power, BASE);
  return power;
}

function digestOf(text: string, salt: string): string {
  return createHash("sha256").update(salt).update(text).digest("hex");
}
