import type { PassageVectors } from "./vector-database.ts";

/** A passage that is near a query, by the hash of its text: the cosine of the query and the nearest of its statements. */
export interface NearText {
  readonly textHash: string;
  readonly cosine: number;
}

/** Numbers that are compared before the event loop gets its turn: about 3 milliseconds. */
const SLICE = 1_500_000;

/** The vectors of one model, in memory. */
export class VectorSet {
  readonly #passages = new Map<string, PassageVectors>();

  /** The dimensions of its vectors; 0 while it is empty. */
  get dimensions(): number {
    for (const { dimensions } of this.#passages.values()) if (dimensions > 0) return dimensions;
    return 0;
  }

  /** Its passages, those that the model refuses included. */
  get size(): number {
    return this.#passages.size;
  }

  has(textHash: string): boolean {
    return this.#passages.has(textHash);
  }

  /** The numbers of a passage's vectors; `undefined` for one that has none. */
  numbersOf(textHash: string): number | undefined {
    return this.#passages.get(textHash)?.numbers.length;
  }

  add(passage: PassageVectors): void {
    this.#passages.set(passage.textHash, passage);
  }

  /** Removes all others. */
  keepOnly(textHashes: ReadonlySet<string>): void {
    for (const textHash of this.#passages.keys()) if (!textHashes.has(textHash)) this.#passages.delete(textHash);
  }

  /** The nearest passages of those that are wanted, nearest first: all are compared. Vectors of other dimensions are near nothing. Rejects when the signal fires. */
  async nearest(
    query: Float32Array,
    { count, isWanted, signal }: { readonly count: number; readonly isWanted: (textHash: string) => boolean; readonly signal: AbortSignal },
  ): Promise<readonly NearText[]> {
    const near: NearText[] = [];
    // What has nothing in common with the query is no result.
    let atLeast = 0;
    let compared = 0;
    for (const { textHash, dimensions, numbers } of this.#passages.values()) {
      if (dimensions !== query.length || !isWanted(textHash)) continue;
      compared += numbers.length;
      if (compared > SLICE) {
        compared = 0;
        await new Promise((resolve) => setImmediate(resolve));
        signal.throwIfAborted();
      }
      const cosine = nearestOf(numbers, query);
      if (cosine <= atLeast) continue;
      near.push({ textHash, cosine });
      if (near.length < 2 * count) continue;
      near.sort(byCosine).splice(count);
      atLeast = near.at(-1)?.cosine ?? atLeast;
    }
    return near.sort(byCosine).slice(0, count);
  }
}

/** With length 1, so that the cosine of two is their product. Zeros stay zeros. */
export function unitVector(numbers: readonly number[]): Float32Array {
  const vector = Float32Array.from(numbers);
  const length = Math.sqrt(vector.reduce((sum, number) => sum + number * number, 0));
  return length > 0 && Number.isFinite(length) ? vector.map((number) => number / length) : vector.fill(0);
}

/** The vectors of a passage's statements. */
export function toPassage(textHash: string, vectors: readonly Float32Array[]): PassageVectors {
  const dimensions = vectors[0]?.length ?? 0;
  const numbers = new Float32Array(dimensions * vectors.length);
  for (const [index, vector] of vectors.entries()) if (vector.length === dimensions) numbers.set(vector, index * dimensions);
  return { textHash, dimensions, numbers };
}

/** The greatest product of the query and one of the vectors, which follow each other. */
function nearestOf(numbers: Float32Array, query: Float32Array): number {
  let best = -1;
  for (let from = 0; from < numbers.length; from += query.length) {
    let sum = 0;
    for (let index = 0; index < query.length; index += 1) sum += (numbers[from + index] ?? 0) * (query[index] ?? 0);
    if (sum > best) best = sum;
  }
  return best;
}

function byCosine(one: NearText, other: NearText): number {
  return other.cosine - one.cosine;
}
