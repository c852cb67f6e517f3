import type { Clock } from "@factotum/agent-contract";
import { removeDatabase } from "../database/derived-database.ts";
import { hasVectors, VectorDatabase, type PassageVectors } from "./vector-database.ts";
import { VectorSet } from "./vector-set.ts";

/** Vectors that are read before the event loop gets its turn. */
const PAGE = 1_000;
/** After this time without use the vectors are on the disk alone: 50,000 of 384 numbers take about 85 MB of memory. */
const IDLE_MS = 10 * 60_000;

/** The vectors of an agent's passages for one model at a time: in a file, and in memory while they are used. */
export class AgentVectors implements Disposable {
  readonly #file: string;
  readonly #clock: Clock;
  #database: VectorDatabase | undefined;
  #loaded: { readonly model: string; readonly set: Promise<VectorSet> } | undefined;
  #idle: Disposable | undefined;
  #isClosed = false;

  constructor(file: string, clock: Clock) {
    this.#file = file;
    this.#clock = clock;
  }

  /** All vectors of the model, read with the first call. */
  async load(model: string): Promise<VectorSet> {
    this.#idle?.[Symbol.dispose]();
    this.#idle = this.#clock.schedule(IDLE_MS, () => (this.#loaded = undefined));
    if (this.#loaded?.model === model) return this.#loaded.set;
    const set = this.#read(model);
    this.#loaded = { model, set };
    set.catch(() => (this.#loaded = undefined));
    return set;
  }

  /** Adds vectors. Where their dimensions are others than before, the earlier ones are removed: the model has changed under its name. */
  async put(model: string, passages: readonly PassageVectors[]): Promise<void> {
    const set = await this.load(model);
    const dimensions = passages.find((passage) => passage.dimensions > 0)?.dimensions;
    if (dimensions !== undefined && set.dimensions > 0 && set.dimensions !== dimensions) this.removeModel(model);
    this.#open().put(model, passages);
    const current = await this.load(model);
    for (const one of passages) current.add(one);
  }

  /** Removes the vectors of a model. */
  removeModel(model: string): void {
    this.#open().removeModel(model);
    if (this.#loaded?.model === model) this.#loaded = undefined;
  }

  /** Removes the vectors of texts that are in no passage, of all models. */
  async keepOnly(textHashes: ReadonlySet<string>): Promise<void> {
    this.#open().keepOnly(textHashes);
    (await this.#loaded?.set)?.keepOnly(textHashes);
  }

  /** Removes the vectors of other models. */
  keepModel(model: string): void {
    this.#open().keepModel(model);
  }

  /** Texts that have a vector of the model, and how many it refuses. Reads nothing into memory, and creates no file. */
  inventory(model: string): { readonly textHashes: readonly string[]; readonly refused: number } {
    return hasVectors(this.#file) ? this.#open().inventory(model) : { textHashes: [], refused: 0 };
  }

  /** Removes everything. */
  remove(): void {
    this.#release();
    if (hasVectors(this.#file)) removeDatabase(this.#file);
  }

  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#release();
  }

  #release(): void {
    this.#idle?.[Symbol.dispose]();
    this.#loaded = undefined;
    this.#database?.[Symbol.dispose]();
    this.#database = undefined;
  }

  #open(): VectorDatabase {
    if (this.#isClosed) throw new Error("the vectors are closed");
    return (this.#database ??= new VectorDatabase(this.#file));
  }

  async #read(model: string): Promise<VectorSet> {
    const set = new VectorSet();
    let afterId = 0;
    while (true) {
      const page = this.#open().vectors(model, { afterId, count: PAGE });
      for (const one of page) set.add(one);
      if (page.length < PAGE) return set;
      afterId = page.at(-1)?.id ?? afterId;
      await new Promise((resolve) => setImmediate(resolve));
    }
  }
}
