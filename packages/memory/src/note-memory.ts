import { renameSync } from "node:fs";
import { join } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import type {
  Clock,
  Logger,
  MemoryAnswer,
  MemoryChange,
  MemoryHit,
  MemoryIndexed,
  MemoryOrigin,
  MemoryPassage,
  MemoryProvider,
  MemoryQuery,
  MemoryStatus,
  TextEmbeddings,
} from "@factotum/agent-contract";
import { removeDatabase } from "./database/derived-database.ts";
import { IndexDatabase, type FoundChunk, type SearchScope } from "./database/index-database.ts";
import { indexNotes } from "./notes/index-notes.ts";
import { lineOrigin } from "./notes/line-origin.ts";
import { hasNotes, listNotes, readNote, type ListedNotes, type NoteFile, type NotePlaces } from "./notes/note-files.ts";
import { noteProblems } from "./notes/note-problems.ts";
import { raceLimit } from "./race-limit.ts";
import { fuseHits, type Near } from "./ranking/fuse-hits.ts";
import { rankHits } from "./ranking/rank-hits.ts";
import type { ConversationSource } from "./sessions/conversation-source.ts";
import { indexConversations } from "./sessions/index-conversations.ts";
import { showConversation } from "./sessions/show-conversation.ts";
import { tellingTokens, weighTokens } from "./ranking/token-weights.ts";
import { queryTokens } from "./tokens/query-tokens.ts";
import { NoteVectors, type Nearness } from "./vectors/note-vectors.ts";
import type { NearText } from "./vectors/vector-set.ts";

/** What the search over notes needs. */
export interface NoteMemoryOptions {
  /** The folder of the indexes, a file for each agent. It can be removed while no gateway runs. */
  readonly folder: string;
  /** Where an agent's notes are now; `undefined` for an unknown agent. */
  readonly placesOf: (agentId: string) => NotePlaces | undefined;
  /** Whether the text of a file may be that of others, or with `lines` these whole lines of it. `file` is absolute; `isExtra` says that it lies in an extra path. */
  readonly isUntrusted: (
    file: string,
    options: { readonly agentId: string; readonly isExtra: boolean; readonly lines?: string },
  ) => Promise<boolean>;
  /** What was said in conversations; absent: notes alone are searched. */
  readonly conversations?: ConversationSource;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The model that compares texts by their meaning. Without one, and while it names none, words alone are compared. */
  readonly embeddings?: TextEmbeddings;
  /** How long a search waits for vectors, and until the index is up to date; default 1 second. */
  readonly waitMs?: number;
}

const WAIT_MS = 1_000;
const BEHIND = "the index is still being updated: the newest notes may be missing";
/** Passages that are ranked, for each one that is returned. */
const CANDIDATES = 8;

/** One agent's index. */
interface AgentIndex {
  readonly file: string;
  database: IndexDatabase;
  /** The update that runs. */
  updating: Promise<Update> | undefined;
  readonly vectors: NoteVectors | undefined;
}

/** What a query finds, before it is ranked. */
interface Found {
  /** By words. */
  readonly chunks: readonly FoundChunk[];
  readonly weights: ReadonlyMap<string, number>;
  /** By meaning; absent where vectors are not known. */
  readonly near?: readonly Near<FoundChunk>[];
}

/** The result of an update. */
interface Update {
  readonly changes: readonly MemoryChange[];
  /** The notes that were found. */
  readonly listed: ListedNotes;
}

/**
 * The built-in memory: full-text search over the notes in an agent's workspace and over conversations, and search by meaning where a model embeds texts. The index
 * follows both, and is brought up to date before each search.
 */
export class NoteMemory implements MemoryProvider {
  readonly #options: NoteMemoryOptions;
  readonly #indexes = new Map<string, AgentIndex>();
  readonly #closing = new AbortController();

  /** Opens nothing before the first request. */
  constructor(options: NoteMemoryOptions) {
    this.#options = options;
  }

  async search(
    { query, maxResults, minScore, sources, exceptSession }: MemoryQuery,
    { agentId, signal }: { readonly agentId: string; readonly signal: AbortSignal },
  ): Promise<MemoryAnswer> {
    const index = this.#open(agentId);
    const scope: SearchScope = { count: maxResults * CANDIDATES, sources, exceptSession };
    const nearness = index.vectors?.search(query, { ...scope, signal });
    // A search that ends before it does not wait for it.
    nearness?.catch(() => undefined);
    const state = await this.#waitFor(this.#update(agentId, index), signal);
    const byMeaning: Nearness = (await nearness) ?? { type: "unknown" };
    const found = this.#find(index, queryTokens(query), { scope, nearness: byMeaning });
    if (found === undefined) return { hits: [], degraded: "the index was damaged and is built again: search once more" };
    const options = { ...found, nowMs: this.#options.clock.now(), maxResults, minScore };
    const ranked = found.near === undefined ? rankHits(found.chunks, options) : fuseHits(found.chunks, found.near, options);
    const degraded = [state, byMeaning.why].filter((why) => why !== undefined).join("; ");
    const { workspace } = this.#placesOf(agentId);
    const isUntrusted = async (file: string, lines?: string): Promise<boolean> =>
      this.#options.isUntrusted(file, { agentId, isExtra: false, ...withoutUndefined({ lines }) });
    const hits = ranked.map(async (chunk) => toHit({ ...chunk, origin: await lineOrigin(chunk, { workspace, isUntrusted }) }));
    return { hits: await Promise.all(hits), ...(degraded === "" ? {} : { degraded }) };
  }

  async get(
    { path, from, lines }: { readonly path: string; readonly from: number; readonly lines: number },
    { agentId, signal }: { readonly agentId: string; readonly signal: AbortSignal },
  ): Promise<MemoryPassage> {
    const places = this.#placesOf(agentId);
    const wanted = path.replace(/^(?:\.\/)+/, "");
    const note = (await listNotes(places, { signal })).files.find((one) => one.path === wanted || one.file === path);
    const text = note === undefined ? undefined : await readNote(note.file);
    if (note === undefined || text === undefined)
      return (
        (await this.#show({ path, from, lines }, { agentId, signal })) ?? {
          type: "not-found",
          message: `There is no note ${path}. Use a path that memory_search has given.`,
        }
      );
    const all = text.replace(/\r?\n$/, "").split(/\r\n?|\n/);
    if (from > all.length) return { type: "not-found", message: `${path} has ${all.length} lines.` };
    const part = all.slice(from - 1, from - 1 + lines);
    return {
      type: "found",
      path: note.path,
      startLine: from,
      endLine: from + part.length - 1,
      text: part.join("\n"),
      origin: await this.#originOf(note, agentId, part.join("\n")),
      isCut: from - 1 + part.length < all.length,
    };
  }

  /**
   * Whether there is anything to find: a note, or a conversation that has ended. Opens no index. Never rejects: a failure is logged, and counts as nothing.
   */
  async hasContent({ agentId, signal }: { readonly agentId: string; readonly signal: AbortSignal }): Promise<boolean> {
    const { placesOf, conversations, logger } = this.#options;
    const places = placesOf(agentId);
    if (places === undefined) return false;
    try {
      return (await hasNotes(places, { signal })) || (await conversations?.hasEnded(agentId, { signal })) === true;
    } catch (error) {
      if (!signal.aborted) logger.warn("What there is to remember could not be listed", { agentId, error });
      return false;
    }
  }

  async status({ agentId, signal }: { readonly agentId: string; readonly signal: AbortSignal }): Promise<MemoryStatus> {
    const index = this.#open(agentId);
    return statusOf(index, await listNotes(this.#placesOf(agentId), { signal }));
  }

  async index({
    agentId,
    rebuild,
    signal,
  }: {
    readonly agentId: string;
    readonly rebuild: boolean;
    readonly signal: AbortSignal;
  }): Promise<MemoryIndexed> {
    const index = this.#open(agentId);
    // One at a time: what changed since the update that runs is found by the next.
    while (index.updating !== undefined) await index.updating.catch(() => undefined);
    signal.throwIfAborted();
    const { changes, listed } = await (rebuild ? this.#start(index, this.#rebuild(agentId, index, signal)) : this.#update(agentId, index));
    return { status: await statusOf(index, listed), changes };
  }

  /** Closes the indexes. Idempotent. */
  async close(): Promise<void> {
    this.#closing.abort();
    const open = [...this.#indexes.values()];
    await Promise.allSettled(open.flatMap(({ updating }) => updating ?? []));
    await Promise.all(open.map(async ({ vectors }) => vectors?.close()));
    for (const { database } of open) database[Symbol.dispose]();
    this.#indexes.clear();
  }

  /** Lines of a conversation that may be searched now. */
  async #show(
    where: { readonly path: string; readonly from: number; readonly lines: number },
    { agentId, signal }: { readonly agentId: string; readonly signal: AbortSignal },
  ): Promise<MemoryPassage | undefined> {
    const { conversations } = this.#options;
    if (conversations === undefined || !where.path.includes("#")) return undefined;
    const index = this.#open(agentId);
    await this.#waitFor(this.#update(agentId, index), signal);
    const listed = await conversations.list(agentId, { signal });
    if (!listed.some(({ sessionId }) => where.path.startsWith(`${sessionId}#`))) return undefined;
    return showConversation(index.database, conversations, { ...where, signal });
  }

  /** `undefined` if the database is damaged: then it was replaced by an empty one. */
  #find(
    index: AgentIndex,
    tokens: readonly string[],
    { scope, nearness }: { readonly scope: SearchScope; readonly nearness: Nearness },
  ): Found | undefined {
    try {
      const spread = index.database.spread(tokens);
      const weights = weighTokens(spread, index.database.passages());
      const telling = new Map(tellingTokens(spread).map((token) => [token, weights.get(token) ?? 0]));
      const chunks = index.database.search(telling, scope);
      return { weights, chunks, ...(nearness.type === "known" ? { near: nearChunks(index.database, nearness.near, scope) } : {}) };
    } catch (error) {
      this.#options.logger.warn("The index of the notes is damaged, and is built again", { error });
      index.database[Symbol.dispose]();
      removeDatabase(index.file);
      index.database = new IndexDatabase(index.file);
      return undefined;
    }
  }

  #placesOf(agentId: string): NotePlaces {
    const places = this.#options.placesOf(agentId);
    if (places === undefined) throw new Error(`there is no agent ${agentId}`);
    return places;
  }

  #open(agentId: string): AgentIndex {
    this.#closing.signal.throwIfAborted();
    this.#placesOf(agentId);
    const known = this.#indexes.get(agentId);
    if (known !== undefined) return known;
    const file = join(this.#options.folder, `${encodeURIComponent(agentId)}.sqlite`);
    removeDatabase(shadowOf(file));
    const vectors = this.#vectorsOf(agentId, () => index.database);
    const index: AgentIndex = { file, database: new IndexDatabase(file), updating: undefined, vectors };
    this.#indexes.set(agentId, index);
    return index;
  }

  #vectorsOf(agentId: string, index: () => IndexDatabase): NoteVectors | undefined {
    const { folder, embeddings, clock, logger, waitMs = WAIT_MS } = this.#options;
    if (embeddings === undefined) return undefined;
    const file = join(folder, "vectors", `${encodeURIComponent(agentId)}.sqlite`);
    return new NoteVectors({ file, agentId, embeddings, clock, logger, waitMs, index });
  }

  /** Resolves with why the index may be behind, once it is up to date or the wait is over. */
  async #waitFor(update: Promise<Update>, signal: AbortSignal): Promise<string | undefined> {
    const { clock, logger, waitMs = WAIT_MS } = this.#options;
    const done = update.then(
      ({ listed }) => (listed.isComplete ? undefined : "there are more than 5,000 notes, and the others are not searched"),
      (error: unknown) => {
        logger.warn("The index of the notes could not be updated", { error });
        return "the index could not be updated: the newest notes may be missing";
      },
    );
    return raceLimit(async () => done, { late: BEHIND, limitMs: waitMs, clock, signal });
  }

  #update(agentId: string, index: AgentIndex): Promise<Update> {
    return index.updating ?? this.#start(index, this.#fill(agentId, index.database, this.#closing.signal));
  }

  async #start(index: AgentIndex, work: Promise<Update>): Promise<Update> {
    index.updating = work;
    // One that fails may have changed something, too.
    let hasChanged = true;
    try {
      const update = await work;
      hasChanged = update.changes.length > 0;
      return update;
    } finally {
      index.vectors?.follow({ hasChanged });
      if (index.updating === work) index.updating = undefined;
    }
  }

  /** Builds the index next to the one in use, and puts it in its place when it is whole. */
  async #rebuild(agentId: string, index: AgentIndex, signal: AbortSignal): Promise<Update> {
    const shadow = shadowOf(index.file);
    removeDatabase(shadow);
    const before = contentOf(index.database);
    const built = new IndexDatabase(shadow);
    let listed: ListedNotes;
    let after: ReadonlyMap<string, string>;
    try {
      ({ listed } = await this.#fill(agentId, built, AbortSignal.any([signal, this.#closing.signal])));
      after = contentOf(built);
    } catch (error) {
      built[Symbol.dispose]();
      removeDatabase(shadow);
      throw error;
    }
    built[Symbol.dispose]();
    index.database[Symbol.dispose]();
    renameSync(shadow, index.file);
    index.database = new IndexDatabase(index.file);
    return { listed, changes: changesBetween(before, after) };
  }

  /** Reads what has changed. */
  async #fill(agentId: string, database: IndexDatabase, signal: AbortSignal): Promise<Update> {
    const listed = await listNotes(this.#placesOf(agentId), { signal });
    const { conversations, clock } = this.#options;
    const nowMs = (): number => clock.now();
    const originOf = async (note: NoteFile): Promise<MemoryOrigin> => this.#originOf(note, agentId);
    const notes = await indexNotes(database, listed.files, { originOf, nowMs, signal });
    if (conversations === undefined) return { listed, changes: notes };
    return { listed, changes: [...notes, ...(await indexConversations(database, conversations, { agentId, nowMs, signal }))] };
  }

  async #originOf({ file, isExtra }: NoteFile, agentId: string, lines?: string): Promise<MemoryOrigin> {
    if (await this.#options.isUntrusted(file, { agentId, isExtra, ...withoutUndefined({ lines }) })) return "untrusted";
    return isExtra ? "owner" : "agent";
  }
}

function shadowOf(file: string): string {
  return `${file}.new`;
}

async function statusOf({ database, vectors }: AgentIndex, listed: ListedNotes): Promise<MemoryStatus> {
  const problems = [...(vectors?.problems() ?? []), ...(await noteProblems(listed))];
  return { provider: "notes", works: true, ...database.counts(), ...withoutUndefined({ embedded: vectors?.embedded() }), problems };
}

/** The passages of texts, nearest first. */
function nearChunks(database: IndexDatabase, near: readonly NearText[], scope: SearchScope): readonly Near<FoundChunk>[] {
  const cosines = new Map(near.map(({ textHash, cosine }) => [textHash, cosine]));
  const chunks = database.chunksWith([...cosines.keys()], scope);
  return chunks.map(({ textHash, ...chunk }) => ({ ...chunk, cosine: cosines.get(textHash) ?? 0 }));
}

/** What of notes and conversations decides whether they are others than before, by path. */
function contentOf(database: IndexDatabase): ReadonlyMap<string, string> {
  const states = [...database.conversations.states().values()].filter(({ isExcluded }) => !isExcluded);
  return new Map([
    ...[...database.files().values()].map(({ path, hash }) => [path, hash] as const),
    ...states.map(({ sessionId, lastEntryId }) => [sessionId, lastEntryId] as const),
  ]);
}

function changesBetween(before: ReadonlyMap<string, string>, after: ReadonlyMap<string, string>): readonly MemoryChange[] {
  const gone = [...before.keys()].filter((path) => !after.has(path)).map((path): MemoryChange => ({ path, type: "removed" }));
  const others = [...after].flatMap(([path, content]): readonly MemoryChange[] => {
    const old = before.get(path);
    return old === content ? [] : [{ path, type: old === undefined ? "added" : "changed" }];
  });
  return [...gone, ...others];
}

function toHit({ path, startLine, endLine, text, source, origin, datedMs, score }: FoundChunk & { readonly score: number }): MemoryHit {
  return {
    path,
    startLine,
    endLine,
    text,
    source,
    origin,
    score: Math.round(score * 1000) / 1000,
    ...(datedMs === undefined ? {} : { day: new Date(datedMs).toISOString().slice(0, 10) }),
  };
}
