import { statSync } from "node:fs";
import type { DatabaseSync, SQLOutputValue } from "node:sqlite";
import type { MemoryOrigin, MemorySourceKind } from "@factotum/agent-contract";
import type { NoteChunk } from "../chunks/chunk-note.ts";
import { matchExpression } from "../tokens/query-tokens.ts";
import { tokenize } from "../tokens/tokenize.ts";
import { CONVERSATION_SCHEMA, ConversationTable, FIRST_SAID, type ConversationState, type SaidText } from "./conversation-table.ts";
import { inTransaction, openDerivedDatabase, type DerivedSchema } from "./derived-database.ts";
import { textHashOf } from "./text-hash.ts";

/** What decides whether a file is read again. */
export interface FileState {
  readonly path: string;
  readonly hash: string;
  readonly mtimeMs: number;
  readonly sizeBytes: number;
}

/** A file to index. */
export interface IndexedFile extends FileState {
  readonly datedMs?: number;
  readonly origin: MemoryOrigin;
  readonly chunks: readonly NoteChunk[];
}

/** A passage that matches, with what ranking and citing need. */
export interface FoundChunk {
  readonly path: string;
  readonly startLine: number;
  readonly endLine: number;
  readonly text: string;
  readonly source: MemorySourceKind;
  readonly origin: MemoryOrigin;
  readonly datedMs?: number;
}

/** What a search may find. */
export interface SearchScope {
  /** How many passages of each source at most. */
  readonly count: number;
  readonly sources: readonly MemorySourceKind[];
  /** What the requests of this conversation contain is left out. */
  readonly exceptSession?: string | undefined;
}

/** The version changes with the tables, the tokens or the passages: an index of another version is built again. */
const SCHEMA: DerivedSchema = {
  version: 4,
  table: "files",
  sql: `
CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, mtime_ms REAL NOT NULL, size_bytes INTEGER NOT NULL,
  dated_ms INTEGER, origin TEXT NOT NULL) STRICT;
CREATE TABLE chunks (id INTEGER PRIMARY KEY, file_id INTEGER NOT NULL REFERENCES files(id), start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
  text TEXT NOT NULL, text_hash TEXT NOT NULL) STRICT;
CREATE INDEX chunks_of_file ON chunks(file_id);
CREATE INDEX chunks_of_text ON chunks(text_hash);
CREATE TABLE updates (id INTEGER PRIMARY KEY CHECK (id = 1), at_ms REAL NOT NULL) STRICT;
CREATE VIRTUAL TABLE words USING fts5(tokens, content='', contentless_delete=1, tokenize='ascii');${CONVERSATION_SCHEMA}
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);`,
};

/** Where notes and conversations are, with the columns of a `FoundChunk`. `allowed` has one parameter: the conversation that searches. */
const SOURCES: Readonly<
  Record<MemorySourceKind, { readonly range: string; readonly columns: string; readonly joined: string; readonly allowed: string }>
> = {
  notes: {
    range: `rowid < ${FIRST_SAID}`,
    columns: "f.path, c.start_line, c.end_line, c.text, c.text_hash, f.origin, f.dated_ms",
    joined: "chunks c JOIN files f ON f.id = c.file_id",
    allowed: "? IS NOT c.id",
  },
  sessions: {
    range: `rowid >= ${FIRST_SAID}`,
    columns: "v.session_id || '#' || c.entry AS path, c.start_line, c.end_line, c.text, c.text_hash, c.origin, c.at_ms AS dated_ms",
    joined: "said c JOIN conversations v ON v.id = c.conversation_id",
    allowed: "(? IS NOT v.session_id OR c.entry < v.in_context_from)",
  },
};
/** Extra matches that are read with `exceptSession`, since some of them are then dropped. */
const SPARE = 100;
const PURGED_PAGES = 200;

/** The database of one index. Derived data: a file that cannot be used is replaced by an empty one. */
export class IndexDatabase implements Disposable {
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #conversations: ConversationTable;
  /** How many passages there are; unknown after a change. */
  #passages: number | undefined;

  constructor(file: string) {
    this.#file = file;
    this.#database = openDerivedDatabase(file, SCHEMA);
    this.#conversations = new ConversationTable(this.#database);
  }

  /** The conversations, to read. */
  get conversations(): Pick<ConversationTable, "states" | "origins" | "inContext"> {
    return this.#conversations;
  }

  /** Adds what was said in a conversation since it was last read, in one transaction; `atMs` is now. */
  append(state: ConversationState, texts: readonly SaidText[], atMs: number): void {
    inTransaction(this.#database, () => {
      if (state.isExcluded) this.#conversations.remove(state.sessionId);
      this.#conversations.append(state, texts);
      if (texts.length > 0 || state.isExcluded) this.#markUpdated(atMs);
    });
  }

  /** Removes everything of a conversation. */
  forget(sessionId: string, atMs: number): void {
    inTransaction(this.#database, () => {
      this.#conversations.remove(sessionId);
      this.#markUpdated(atMs);
    });
  }

  /** Merges a part of the full-text table, which keeps the words of removed passages until then; false once there is nothing to merge. */
  purge(isFirst: boolean): boolean {
    const before = this.#changes();
    this.#database.prepare("INSERT INTO words (words, rank) VALUES ('merge', ?)").run(isFirst ? -PURGED_PAGES : PURGED_PAGES);
    // A merge that had nothing to do changes fewer than two rows, as the documentation of FTS5 says.
    return this.#changes() - before >= 2;
  }

  /** Records the first entry that the requests of each conversation still contain. */
  markContext(contexts: ReadonlyMap<string, string>): void {
    inTransaction(this.#database, () => this.#conversations.markContext(contexts));
  }

  /** All files, by path. */
  files(): ReadonlyMap<string, FileState> {
    const rows = this.#database.prepare("SELECT path, hash, mtime_ms, size_bytes FROM files").all();
    return new Map(
      rows.map((row) => [
        String(row["path"]),
        { path: String(row["path"]), hash: String(row["hash"]), mtimeMs: Number(row["mtime_ms"]), sizeBytes: Number(row["size_bytes"]) },
      ]),
    );
  }

  /** Puts one file in place of its earlier version, in one transaction; `atMs` is now. */
  put(file: IndexedFile, atMs: number): void {
    inTransaction(this.#database, () => {
      this.#remove(file.path);
      this.#markUpdated(atMs);
      const { lastInsertRowid: id } = this.#database
        .prepare("INSERT INTO files (path, hash, mtime_ms, size_bytes, dated_ms, origin) VALUES (?, ?, ?, ?, ?, ?)")
        .run(file.path, file.hash, file.mtimeMs, file.sizeBytes, file.datedMs ?? null, file.origin);
      const newest = this.#database.prepare("SELECT max(id) AS id FROM chunks").get()?.["id"];
      let chunk = typeof newest === "number" ? newest : 0;
      const addChunk = this.#database.prepare(
        "INSERT INTO chunks (id, file_id, start_line, end_line, text, text_hash) VALUES (?, ?, ?, ?, ?, ?)",
      );
      const addWords = this.#database.prepare("INSERT INTO words (rowid, tokens) VALUES (?, ?)");
      for (const { startLine, endLine, text, headings } of file.chunks) {
        chunk += 1;
        addChunk.run(chunk, id, startLine, endLine, text, textHashOf("notes", text));
        addWords.run(chunk, tokenize([...headings, text].join("\n")).join(" "));
      }
    });
  }

  /** Notes that a file with the same content has another time or size. */
  touch({ path, mtimeMs, sizeBytes }: FileState): void {
    this.#database.prepare("UPDATE files SET mtime_ms = ?, size_bytes = ? WHERE path = ?").run(mtimeMs, sizeBytes, path);
  }

  remove(path: string, atMs: number): void {
    inTransaction(this.#database, () => {
      this.#remove(path);
      this.#markUpdated(atMs);
    });
  }

  /** The passages with any of the tokens, of each source those first whose tokens weigh most together. */
  search(weights: ReadonlyMap<string, number>, scope: SearchScope): readonly FoundChunk[] {
    const tokens = [...weights];
    return tokens.length === 0 ? [] : [...new Set(scope.sources)].flatMap((source) => this.#searchIn(source, tokens, scope));
  }

  #searchIn(
    source: MemorySourceKind,
    tokens: readonly (readonly [string, number])[],
    { count, exceptSession }: SearchScope,
  ): readonly FoundChunk[] {
    const { range, columns, joined, allowed } = SOURCES[source];
    // The weights of the tokens alone: BM25 costs three times as much, and prefers a day with many of the words to one with all of them.
    const matches = `SELECT rowid, ? AS weight FROM words WHERE words MATCH ? AND ${range}`;
    return this.#database
      .prepare(
        `WITH found AS MATERIALIZED (SELECT rowid, sum(weight) AS weight FROM (${tokens.map(() => matches).join(" UNION ALL ")})
           GROUP BY rowid ORDER BY weight DESC, rowid DESC LIMIT ?)
         SELECT ${columns} FROM found w CROSS JOIN ${joined} WHERE c.id = w.rowid AND ${allowed} ORDER BY w.weight DESC, c.id DESC LIMIT ?`,
      )
      .all(
        ...tokens.flatMap(([token, weight]) => [weight, matchExpression(token)]),
        count + (exceptSession === undefined ? 0 : SPARE),
        searching(source, exceptSession),
        count,
      )
      .map((row) => toFoundChunk(source, row));
  }

  /** The passages with any of the texts, given by their hashes. */
  chunksWith(
    textHashes: readonly string[],
    { sources, exceptSession }: Omit<SearchScope, "count">,
  ): readonly (FoundChunk & { readonly textHash: string })[] {
    return [...new Set(sources)].flatMap((source) => {
      const { columns, joined, allowed } = SOURCES[source];
      return this.#database
        .prepare(
          `SELECT ${columns} FROM json_each(?) w CROSS JOIN ${joined} WHERE c.text_hash = w.value AND ${allowed} ORDER BY w.key, c.id`,
        )
        .all(JSON.stringify(textHashes), searching(source, exceptSession))
        .map((row) => ({ ...toFoundChunk(source, row), textHash: String(row["text_hash"]) }));
    });
  }

  /** The hashes of the texts of all passages: those of undated notes first, then of the newest days, then of what was said, the newest first. */
  textHashes(): ReadonlySet<string> {
    const notes = this.#database
      .prepare("SELECT c.text_hash FROM chunks c JOIN files f ON f.id = c.file_id ORDER BY f.dated_ms IS NOT NULL, f.dated_ms DESC, c.id")
      .all();
    const said = this.#database.prepare("SELECT text_hash FROM said ORDER BY at_ms DESC, id").all();
    return new Set([...notes, ...said].map((row) => String(row["text_hash"])));
  }

  /** How many passages have one of the texts. */
  countWith(textHashes: readonly string[]): number {
    const row = this.#database
      .prepare(
        `WITH wanted AS (SELECT value FROM json_each(?)) SELECT (SELECT count(*) FROM chunks WHERE text_hash IN wanted) +
           (SELECT count(*) FROM said WHERE text_hash IN wanted) AS count`,
      )
      .get(JSON.stringify(textHashes));
    return Number(row?.["count"]);
  }

  /** The text with a hash; `undefined` if no passage has it any longer. */
  textOf(textHash: string): string | undefined {
    const row = this.#database
      .prepare("SELECT text FROM chunks WHERE text_hash = ?1 UNION ALL SELECT text FROM said WHERE text_hash = ?1 LIMIT 1")
      .get(textHash);
    return row === undefined ? undefined : String(row["text"]);
  }

  /** How many passages have each token. */
  spread(tokens: readonly string[]): ReadonlyMap<string, number> {
    const count = this.#database.prepare("SELECT doc FROM vocabulary WHERE term = ?");
    return new Map(tokens.map((token) => [token, Number(count.get(token)?.["doc"] ?? 0)]));
  }

  /** How many passages there are. */
  passages(): number {
    return (this.#passages ??= this.counts().chunks);
  }

  /** What is indexed. `indexedAtMs` is absent before the first update. */
  counts(): {
    readonly files: number;
    readonly conversations: number;
    readonly chunks: number;
    readonly sizeBytes: number;
    readonly indexedAtMs?: number;
  } {
    const row = this.#database
      .prepare(
        `SELECT (SELECT count(*) FROM files) AS files, (SELECT count(DISTINCT conversation_id) FROM said) AS conversations,
           (SELECT count(*) FROM chunks) + (SELECT count(*) FROM said) AS chunks, (SELECT at_ms FROM updates) AS at_ms`,
      )
      .get();
    const atMs = row?.["at_ms"];
    return {
      files: Number(row?.["files"]),
      conversations: Number(row?.["conversations"]),
      chunks: Number(row?.["chunks"]),
      sizeBytes: statSync(this.#file).size,
      ...(typeof atMs === "number" ? { indexedAtMs: atMs } : {}),
    };
  }

  [Symbol.dispose](): void {
    if (this.#database.isOpen) this.#database.close();
  }

  #changes(): number {
    return Number(this.#database.prepare("SELECT total_changes() AS changes").get()?.["changes"]);
  }

  #markUpdated(atMs: number): void {
    this.#passages = undefined;
    this.#database.prepare("INSERT OR REPLACE INTO updates (id, at_ms) VALUES (1, ?)").run(atMs);
  }

  #remove(path: string): void {
    const ids = "SELECT c.id FROM chunks c JOIN files f ON f.id = c.file_id WHERE f.path = ?";
    this.#database.prepare(`DELETE FROM words WHERE rowid IN (${ids})`).run(path);
    this.#database.prepare(`DELETE FROM chunks WHERE id IN (${ids})`).run(path);
    this.#database.prepare("DELETE FROM files WHERE path = ?").run(path);
  }
}

/** The parameter of `allowed`. */
function searching(source: MemorySourceKind, exceptSession: string | undefined): string | null {
  return source === "sessions" ? (exceptSession ?? null) : null;
}

function toFoundChunk(source: MemorySourceKind, row: Record<string, SQLOutputValue>): FoundChunk {
  return {
    path: String(row["path"]),
    startLine: Number(row["start_line"]),
    endLine: Number(row["end_line"]),
    text: String(row["text"]),
    source,
    origin: row["origin"] as MemoryOrigin,
    ...(row["dated_ms"] === null ? {} : { datedMs: Number(row["dated_ms"]) }),
  };
}
