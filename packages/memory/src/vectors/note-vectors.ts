import { ModelError, plural, type Clock, type Logger, type MemoryEmbedded, type TextEmbeddings } from "@factotum/agent-contract";
import type { IndexDatabase, SearchScope } from "../database/index-database.ts";
import { sourceOf } from "../database/text-hash.ts";
import { raceLimit } from "../race-limit.ts";
import { AgentVectors } from "./agent-vectors.ts";
import { EmbeddingHealth } from "./embedding-health.ts";
import { statementsOf } from "./statements.ts";
import type { PassageVectors } from "./vector-database.ts";
import { toPassage, unitVector, type NearText, type VectorSet } from "./vector-set.ts";

/** What the vectors of one agent's passages need. */
export interface NoteVectorsOptions {
  readonly file: string;
  readonly agentId: string;
  readonly embeddings: TextEmbeddings;
  /** The index as it is now: another one after it was built again. */
  readonly index: () => IndexDatabase;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a search waits. */
  readonly waitMs: number;
}

/** The texts that are near a query, or why they are not known. `why` is for the assistant; absent without a model. */
export type Nearness =
  | { readonly type: "known"; readonly near: readonly NearText[]; readonly why?: string }
  | { readonly type: "unknown"; readonly why?: string };

/** Passages of one request: at most 64 statements, about 3,200 tokens. */
const BATCH = 8;
/** Numbers of all vectors: 100 MB in memory, for 65,000 statements with 384 numbers each. */
const MAX_NUMBERS = 25_000_000;
/** Assumed for a passage that has no vectors yet. */
const STATEMENTS = 4;
const DIMENSIONS = 384;
/** Time limit of a request for passages. */
const BATCH_MS = 120_000;
/** Time limit of a request for a query, longer than a search waits: its vector is kept for the next search. */
const QUERY_MS = 10_000;
const MAX_QUERIES = 32;
/** A search says that vectors are missing if more than this share of the passages has none. */
const MUCH = 0.1;

interface Passage {
  readonly textHash: string;
  readonly statements: readonly string[];
}

/** Keeps vectors for each passage, made in the background, and finds what is near a query. */
export class NoteVectors {
  readonly #options: NoteVectorsOptions;
  readonly #vectors: AgentVectors;
  #health: EmbeddingHealth;
  /** The model whose health that is. */
  #model: string | undefined;
  readonly #closing = new AbortController();
  /** Vectors of the newest queries. */
  readonly #queries = new Map<string, Promise<Float32Array>>();
  #running: Promise<void> | undefined;
  /** Something may have changed since the run began. */
  #isBehind = false;
  /** The model of which every passage has a vector; without a model, that all vectors are removed. Absent while there is something to do. */
  #complete: { readonly model: string | undefined } | undefined;
  #missing = 0;
  /** Passages for whose vectors there is no room. */
  #withoutRoom = 0;
  #retry: Disposable | undefined;

  constructor(options: NoteVectorsOptions) {
    this.#options = options;
    this.#vectors = new AgentVectors(options.file, options.clock);
    this.#health = new EmbeddingHealth(options.clock);
  }

  /** Takes up what the index has now: removes vectors of texts that are gone, and has the others embedded in the background. Returns at once. */
  follow({ hasChanged }: { readonly hasChanged: boolean }): void {
    if (this.#closing.signal.aborted) return;
    const model = this.#currentModel();
    const isComplete = this.#complete !== undefined && this.#complete.model === model;
    if (!hasChanged && (isComplete || this.#health.pauseMs > 0)) return;
    this.#isBehind = true;
    this.#running ??= this.#run().finally(() => (this.#running = undefined));
  }

  /**
   * The passages' texts nearest to a query, at most `count`. What has got into the requests of `exceptSession` since the last update of the index may be among them.
   * Resolves within `waitMs`; rejects when the signal fires.
   */
  async search(query: string, { signal, ...scope }: SearchScope & { readonly signal: AbortSignal }): Promise<Nearness> {
    const { clock, waitMs } = this.#options;
    const model = this.#currentModel();
    if (model === undefined || query.trim() === "") return { type: "unknown" };
    if (this.#health.pauseMs > 0) return { type: "unknown", why: UNAVAILABLE };
    const late: Nearness = { type: "unknown", why: LATE };
    return raceLimit(async () => this.#nearest(model, query, { ...scope, signal }), { late, limitMs: waitMs, clock, signal });
  }

  /** How many passages have a vector; `undefined` without a model. */
  embedded(): MemoryEmbedded | undefined {
    const model = this.#options.embeddings.model();
    if (model === undefined) return undefined;
    return { model, chunks: this.#options.index().countWith(this.#vectors.inventory(model).textHashes) };
  }

  /** What is wrong, each a sentence for the owner. */
  problems(): readonly string[] {
    const model = this.#options.embeddings.model();
    if (model === undefined) return [];
    const { problem, pauseMs } = this.#health;
    const { refused } = this.#vectors.inventory(model);
    return [
      ...(problem === undefined
        ? []
        : [`Texts are not embedded (memory.embeddings.model): ${problem.replace(/\.?$/u, ".")} The next try is ${inWords(pauseMs)}.`]),
      ...(this.#withoutRoom === 0
        ? []
        : [`There is no room for the vectors of ${plural(this.#withoutRoom, "passage")}, the oldest: only their words are searched.`]),
      ...(refused === 0 ? [] : [`${model} refuses ${plural(refused, "passage")}: only their words are searched.`]),
    ];
  }

  /** Ends what runs. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort();
    this.#retry?.[Symbol.dispose]();
    await this.#running;
    this.#vectors[Symbol.dispose]();
  }

  async #nearest(model: string, query: string, { signal, ...scope }: SearchScope & { readonly signal: AbortSignal }): Promise<Nearness> {
    const { logger, agentId } = this.#options;
    try {
      const [vector, set] = await Promise.all([this.#queryVector(model, query), this.#vectors.load(model)]);
      if (set.dimensions > 0 && set.dimensions !== vector.length) this.#startOver(model);
      const near = await set.nearest(vector, { count: scope.count, isWanted: this.#filterOf(scope), signal });
      return { type: "known", near, ...(this.#isMuchMissing(set) ? { why: PARTIAL } : {}) };
    } catch (error) {
      signal.throwIfAborted();
      if (!this.#closing.signal.aborted) logger.warn("A search did without vectors", { agentId, error });
      return { type: "unknown", why: UNAVAILABLE };
    }
  }

  #filterOf({ sources, exceptSession }: SearchScope): (textHash: string) => boolean {
    const inContext = exceptSession === undefined ? new Set() : this.#options.index().conversations.inContext(exceptSession);
    return (textHash) => sources.includes(sourceOf(textHash)) && !inContext.has(textHash);
  }

  /** The failures of another model do not count. */
  #currentModel(): string | undefined {
    const model = this.#options.embeddings.model();
    if (model !== this.#model) this.#health = new EmbeddingHealth(this.#options.clock);
    this.#model = model;
    return model;
  }

  /** The model has changed under its name: its vectors cannot be compared with the new ones. */
  #startOver(model: string): void {
    this.#vectors.removeModel(model);
    this.#complete = undefined;
    this.follow({ hasChanged: true });
  }

  #isMuchMissing({ size }: VectorSet): boolean {
    return this.#missing > MUCH * (size + this.#missing);
  }

  async #queryVector(model: string, query: string): Promise<Float32Array> {
    const key = `${model}\n${query}`;
    const known = this.#queries.get(key);
    if (known !== undefined) return known;
    const asked = this.#embed(model, [query], QUERY_MS).then(([vector = new Float32Array()]) => vector);
    this.#queries.set(key, asked);
    asked.then(
      () => this.#health.answered(),
      (error: unknown) => {
        this.#queries.delete(key);
        if (!this.#closing.signal.aborted) this.#health.failed(error);
      },
    );
    const [oldest] = this.#queries.keys();
    if (this.#queries.size > MAX_QUERIES && oldest !== undefined) this.#queries.delete(oldest);
    return asked;
  }

  /** Never rejects: what fails is a problem that the status shows. */
  async #run(): Promise<void> {
    const { logger, agentId, embeddings } = this.#options;
    try {
      while (this.#isBehind && !this.#closing.signal.aborted) {
        this.#isBehind = false;
        const model = embeddings.model();
        if (model === undefined) {
          this.#vectors.remove();
          this.#complete = { model };
        } else await this.#catchUp(model);
      }
    } catch (error) {
      if (this.#closing.signal.aborted) return;
      logger.warn("The vectors of the notes are damaged, and are made again", { agentId, error });
      this.#vectors.remove();
      this.#complete = undefined;
    }
  }

  async #catchUp(model: string): Promise<void> {
    this.#complete = undefined;
    const set = await this.#vectors.load(model);
    const all = this.#options.index().textHashes();
    const wanted = withRoom(all, set);
    await this.#vectors.keepOnly(wanted);
    const missing = [...wanted].filter((textHash) => !set.has(textHash));
    this.#missing = missing.length;
    for (let from = 0; from < missing.length; from += BATCH) {
      if (this.#isBehind || this.#closing.signal.aborted) return;
      if (this.#health.pauseMs > 0 || !(await this.#embedBatch(model, missing.slice(from, from + BATCH)))) {
        this.#retryLater();
        return;
      }
      this.#missing = Math.max(0, missing.length - from - BATCH);
    }
    this.#withoutRoom = all.size - wanted.size;
    this.#complete = { model };
    this.#vectors.keepModel(model);
  }

  /** False if it failed: then the model is left alone for a while. */
  async #embedBatch(model: string, textHashes: readonly string[]): Promise<boolean> {
    const index = this.#options.index();
    const found = textHashes.flatMap((textHash) => {
      const text = index.textOf(textHash);
      return text === undefined ? [] : [{ textHash, statements: statementsOf(text) }];
    });
    if (found.length === 0) return true;
    try {
      const passages = await this.#embedPassages(model, found);
      this.#health.answered();
      await this.#vectors.put(model, passages);
      return true;
    } catch (error) {
      if (this.#closing.signal.aborted) return false;
      if (!ModelError.isInstance(error)) throw error;
      const { logger, agentId } = this.#options;
      logger.warn("Notes could not be embedded", { agentId, model, error });
      this.#health.failed(error);
      return false;
    }
  }

  /** All at once; if the provider refuses the request, one by one, so that a passage that it refuses does not hold up the others. */
  async #embedPassages(model: string, found: readonly Passage[]): Promise<readonly PassageVectors[]> {
    try {
      const vectors = await this.#embed(
        model,
        found.flatMap(({ statements }) => statements),
        BATCH_MS,
      );
      let from = 0;
      return found.map(({ textHash, statements: { length } }) => {
        from += length;
        return toPassage(textHash, vectors.slice(from - length, from));
      });
    } catch (error) {
      if (!isRefusal(error)) throw error;
      const each: PassageVectors[] = [];
      for (const { textHash, statements } of found) {
        try {
          each.push(toPassage(textHash, await this.#embed(model, statements, BATCH_MS)));
        } catch (refusal) {
          if (!isRefusal(refusal)) throw refusal;
          each.push(toPassage(textHash, []));
        }
      }
      // It may be the model that is wrong, and not the texts.
      const hasAnswered = each.some(({ dimensions }) => dimensions > 0) || (await this.#vectors.load(model)).dimensions > 0;
      if (!hasAnswered) throw error;
      return each;
    }
  }

  async #embed(model: string, texts: readonly string[], limitMs: number): Promise<readonly Float32Array[]> {
    const { embeddings, agentId, clock } = this.#options;
    const limit = new AbortController();
    const late = new ModelError("timeout", `${model} took longer than ${limitMs / 1000} s.`, { retry: { type: "backoff" } });
    using timer = clock.schedule(limitMs, () => limit.abort(late));
    void timer;
    try {
      const vectors = await embeddings.embed(texts, { model, agentId, signal: AbortSignal.any([limit.signal, this.#closing.signal]) });
      return vectors.map(unitVector);
    } catch (error) {
      throw limit.signal.aborted ? late : error;
    }
  }

  #retryLater(): void {
    this.#retry?.[Symbol.dispose]();
    this.#retry = this.#options.clock.schedule(this.#health.pauseMs, () => this.follow({ hasChanged: false }));
  }
}

const UNAVAILABLE = 'only words were compared: embeddings cannot be had now ("factotum memory status" says why)';
const LATE = "only words were compared: the embedding of the query took too long";
const PARTIAL = "many passages have no vector yet: they are found by their words alone";

/** The passages whose vectors fit into memory together, in the same order. */
function withRoom(textHashes: ReadonlySet<string>, set: VectorSet): ReadonlySet<string> {
  const unknown = STATEMENTS * (set.dimensions === 0 ? DIMENSIONS : set.dimensions);
  const chosen = new Set<string>();
  let numbers = 0;
  for (const textHash of textHashes) {
    numbers += set.numbersOf(textHash) ?? unknown;
    if (numbers > MAX_NUMBERS) break;
    chosen.add(textHash);
  }
  return chosen;
}

function isRefusal(error: unknown): boolean {
  return ModelError.isInstance(error) && (error.code === "invalid-request" || error.code === "context-overflow");
}

function inWords(delayMs: number): string {
  if (delayMs === 0) return "the next search";
  return delayMs < 60_000 ? "in less than a minute" : `in ${plural(Math.ceil(delayMs / 60_000), "minute")}`;
}
