import { createHash } from "node:crypto";
import { renameSync } from "node:fs";
import { join } from "node:path";
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
} from "@factotum/agent-contract";
import { chunkNote } from "./chunks/chunk-note.ts";
import { IndexDatabase, removeDatabase, type FoundChunk } from "./database/index-database.ts";
import { dayOf, hasNotes, listNotes, readNote, type ListedNotes, type NoteFile, type NotePlaces } from "./notes/note-files.ts";
import { noteProblems } from "./notes/note-problems.ts";
import { rankHits } from "./ranking/rank-hits.ts";
import type { ConversationSource } from "./sessions/conversation-source.ts";
import { indexConversations } from "./sessions/index-conversations.ts";
import { showConversation } from "./sessions/show-conversation.ts";
import { tellingTokens, weighTokens } from "./ranking/token-weights.ts";
import { queryTokens } from "./tokens/query-tokens.ts";

/** What the search over notes needs. */
export interface NoteMemoryOptions {
  /** The folder of the indexes, a file for each agent. It can be removed while no gateway runs. */
  readonly folder: string;
  /** Where an agent's notes are now; `undefined` for an unknown agent. */
  readonly placesOf: (agentId: string) => NotePlaces | undefined;
  /** Whether the text of a file may be that of others. `file` is absolute; `isExtra` says that it lies in an extra path. */
  readonly isUntrusted: (file: string, options: { readonly agentId: string; readonly isExtra: boolean }) => Promise<boolean>;
  /** What was said in conversations; absent: notes alone are searched. */
  readonly conversations?: ConversationSource;
  readonly clock: Clock;
  readonly logger: Logger;
  /** How long a search waits until the index is up to date; default 1 second. */
  readonly waitMs?: number;
}

const WAIT_MS = 1_000;
/** Passages that are ranked, for each one that is returned. */
const CANDIDATES = 8;

/** One agent's index. */
interface AgentIndex {
  readonly file: string;
  database: IndexDatabase;
  /** The update that runs. */
  updating: Promise<Update> | undefined;
}

/** The result of an update. */
interface Update {
  readonly changes: readonly MemoryChange[];
  /** The notes that were found. */
  readonly listed: ListedNotes;
}

/**
 * The built-in memory: full-text search over the notes in an agent's workspace, and over conversations. The index follows both, and is brought up to date before
 * each search.
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
    const state = await this.#waitFor(this.#update(agentId, index), signal);
    const tokens = queryTokens(query);
    const found = this.#find(index, tokens, { count: maxResults * CANDIDATES, sources, exceptSession });
    if (found === undefined) return { hits: [], degraded: "the index was damaged and is built again: search once more" };
    const hits = rankHits(found.chunks, { ...found, nowMs: this.#options.clock.now(), maxResults, minScore }).map(toHit);
    return { hits, ...(state === undefined ? {} : { degraded: state }) };
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
      origin: await this.#originOf(note, agentId),
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
    bounds: Parameters<IndexDatabase["search"]>[1],
  ): { readonly chunks: readonly FoundChunk[]; readonly weights: ReadonlyMap<string, number> } | undefined {
    try {
      const spread = index.database.spread(tokens);
      const weights = weighTokens(spread, index.database.passages());
      const telling = new Map(tellingTokens(spread).map((token) => [token, weights.get(token) ?? 0]));
      return { weights, chunks: index.database.search(telling, bounds) };
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
    const index: AgentIndex = { file, database: new IndexDatabase(file), updating: undefined };
    this.#indexes.set(agentId, index);
    return index;
  }

  /** Resolves with why the index may be behind, once it is up to date or the wait is over. */
  async #waitFor(update: Promise<Update>, signal: AbortSignal): Promise<string | undefined> {
    const { clock, logger, waitMs = WAIT_MS } = this.#options;
    const waited = Promise.withResolvers<string>();
    using timer = clock.schedule(waitMs, () => waited.resolve("the index is still being updated: the newest notes may be missing"));
    void timer;
    const stop = (): void => waited.reject(signal.reason as Error);
    signal.addEventListener("abort", stop, { once: true });
    try {
      signal.throwIfAborted();
      const done = update.then(
        ({ listed }) => (listed.isComplete ? undefined : "there are more than 5,000 notes, and the others are not searched"),
        (error: unknown) => {
          logger.warn("The index of the notes could not be updated", { error });
          return "the index could not be updated: the newest notes may be missing";
        },
      );
      return await Promise.race([done, waited.promise]);
    } finally {
      signal.removeEventListener("abort", stop);
      waited.promise.catch(() => undefined);
    }
  }

  #update(agentId: string, index: AgentIndex): Promise<Update> {
    return index.updating ?? this.#start(index, this.#fill(agentId, index.database, this.#closing.signal));
  }

  async #start(index: AgentIndex, work: Promise<Update>): Promise<Update> {
    index.updating = work;
    try {
      return await work;
    } finally {
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
    const { files } = listed;
    const known = database.files();
    const present = new Set(files.map(({ path }) => path));
    const changes: MemoryChange[] = [];
    const changed = (path: string, type: MemoryChange["type"]): void => void changes.push({ path, type });
    for (const path of known.keys())
      if (!present.has(path)) {
        database.remove(path, this.#options.clock.now());
        changed(path, "removed");
      }
    for (const note of files) {
      const before = known.get(note.path);
      if (before?.mtimeMs === note.mtimeMs && before.sizeBytes === note.sizeBytes) continue;
      signal.throwIfAborted();
      const text = await readNote(note.file);
      if (text === undefined) continue;
      // After the text: what a tainted turn adds is recorded before it is written.
      const origin = await this.#originOf(note, agentId);
      signal.throwIfAborted();
      const { path, mtimeMs, sizeBytes } = note;
      const hash = createHash("sha256").update(`${origin}\n${text}`).digest("hex");
      const state = { path, hash, mtimeMs, sizeBytes };
      if (hash === before?.hash) database.touch(state);
      else {
        const datedMs = dayOf(path);
        const file = { ...state, ...(datedMs === undefined ? {} : { datedMs }), origin };
        database.put({ ...file, chunks: chunkNote(text) }, this.#options.clock.now());
        changed(path, before === undefined ? "added" : "changed");
      }
    }
    const { conversations, clock } = this.#options;
    if (conversations !== undefined)
      changes.push(...(await indexConversations(database, conversations, { agentId, nowMs: () => clock.now(), signal })));
    return { listed, changes };
  }

  async #originOf({ file, isExtra }: NoteFile, agentId: string): Promise<MemoryOrigin> {
    if (await this.#options.isUntrusted(file, { agentId, isExtra })) return "untrusted";
    return isExtra ? "owner" : "agent";
  }
}

function shadowOf(file: string): string {
  return `${file}.new`;
}

async function statusOf({ database }: AgentIndex, listed: ListedNotes): Promise<MemoryStatus> {
  return { provider: "notes", works: true, ...database.counts(), problems: await noteProblems(listed) };
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

function toHit({ datedMs, score, ...hit }: FoundChunk & { readonly score: number }): MemoryHit {
  return {
    ...hit,
    score: Math.round(score * 1000) / 1000,
    ...(datedMs === undefined ? {} : { day: new Date(datedMs).toISOString().slice(0, 10) }),
  };
}
