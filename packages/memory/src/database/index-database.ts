import { chmodSync, mkdirSync, rmSync, statSync } from "node:fs";
import { dirname } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { MemoryOrigin, MemorySourceKind } from "@factotum/agent-contract";
import type { NoteChunk } from "../chunks/chunk-note.ts";
import { matchExpression } from "../tokens/query-tokens.ts";
import { tokenize } from "../tokens/tokenize.ts";
import { CONVERSATION_SCHEMA, ConversationTable, FIRST_SAID, type ConversationState, type SaidText } from "./conversation-table.ts";

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

/** Changes with the tables, the tokens or the passages: an index of another version is built again. */
const VERSION = 3;

const SCHEMA = `
CREATE TABLE files (id INTEGER PRIMARY KEY, path TEXT NOT NULL UNIQUE, hash TEXT NOT NULL, mtime_ms REAL NOT NULL, size_bytes INTEGER NOT NULL,
  dated_ms INTEGER, origin TEXT NOT NULL) STRICT;
CREATE TABLE chunks (id INTEGER PRIMARY KEY, file_id INTEGER NOT NULL REFERENCES files(id), start_line INTEGER NOT NULL, end_line INTEGER NOT NULL,
  text TEXT NOT NULL) STRICT;
CREATE INDEX chunks_of_file ON chunks(file_id);
CREATE TABLE updates (id INTEGER PRIMARY KEY CHECK (id = 1), at_ms REAL NOT NULL) STRICT;
CREATE VIRTUAL TABLE words USING fts5(tokens, content='', contentless_delete=1, tokenize='ascii');${CONVERSATION_SCHEMA}
CREATE VIRTUAL TABLE vocabulary USING fts5vocab(words, row);
PRAGMA user_version = ${VERSION};`;

/** Where notes and conversations are, with the columns of a `FoundChunk`. */
const SOURCES: Readonly<Record<MemorySourceKind, { readonly range: string; readonly joined: string }>> = {
  notes: {
    range: `rowid < ${FIRST_SAID}`,
    joined: `SELECT f.path, c.start_line, c.end_line, c.text, f.origin, f.dated_ms FROM found w
      JOIN chunks c ON c.id = w.rowid JOIN files f ON f.id = c.file_id WHERE ? IS NOT c.id ORDER BY w.weight DESC, c.id DESC`,
  },
  sessions: {
    range: `rowid >= ${FIRST_SAID}`,
    joined: `SELECT v.session_id || '#' || s.entry AS path, s.start_line, s.end_line, s.text, s.origin, s.at_ms AS dated_ms FROM found w
      JOIN said s ON s.id = w.rowid JOIN conversations v ON v.id = s.conversation_id
      WHERE ? IS NOT v.session_id OR s.entry < v.in_context_from ORDER BY w.weight DESC, s.id DESC`,
  },
};
/** Matches beyond those asked for, of which a conversation's own requests contain some. */
const SPARE = 100;
const PURGED_PAGES = 200;

/** The database of one index. Derived data: a file that cannot be used is replaced by an empty one. */
export class IndexDatabase implements Disposable {
  readonly #database: DatabaseSync;
  readonly #file: string;
  readonly #conversations: ConversationTable;
  /** As long as nothing has changed. */
  #passages: number | undefined;

  constructor(file: string) {
    this.#file = file;
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 });
    try {
      this.#database = open(file);
    } catch {
      removeDatabase(file);
      this.#database = open(file);
    }
    this.#conversations = new ConversationTable(this.#database);
    chmodSync(file, 0o600);
  }

  /** The conversations, to read. */
  get conversations(): Pick<ConversationTable, "states" | "origins"> {
    return this.#conversations;
  }

  /** Adds what was said in a conversation since it was last read, in one transaction; `atMs` is now. */
  append(state: ConversationState, texts: readonly SaidText[], atMs: number): void {
    this.#transaction(() => {
      if (state.isExcluded) this.#conversations.remove(state.sessionId);
      this.#conversations.append(state, texts);
      if (texts.length > 0 || state.isExcluded) this.#markUpdated(atMs);
    });
  }

  /** Removes everything of a conversation. */
  forget(sessionId: string, atMs: number): void {
    this.#transaction(() => {
      this.#conversations.remove(sessionId);
      this.#markUpdated(atMs);
    });
  }

  /** Does a part of removing the words of what was forgotten, which stay in the file until then; false once there is nothing to do. */
  purge(isFirst: boolean): boolean {
    const before = this.#changes();
    this.#database.prepare("INSERT INTO words (words, rank) VALUES ('merge', ?)").run(isFirst ? -PURGED_PAGES : PURGED_PAGES);
    // As the documentation of FTS5 says.
    return this.#changes() - before >= 2;
  }

  /** Notes from which entry on the requests of conversations contain what was said. */
  markContext(contexts: ReadonlyMap<string, string>): void {
    this.#transaction(() => this.#conversations.markContext(contexts));
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
    this.#transaction(() => {
      this.#remove(file.path);
      this.#markUpdated(atMs);
      const { lastInsertRowid: id } = this.#database
        .prepare("INSERT INTO files (path, hash, mtime_ms, size_bytes, dated_ms, origin) VALUES (?, ?, ?, ?, ?, ?)")
        .run(file.path, file.hash, file.mtimeMs, file.sizeBytes, file.datedMs ?? null, file.origin);
      const newest = this.#database.prepare("SELECT max(id) AS id FROM chunks").get()?.["id"];
      let chunk = typeof newest === "number" ? newest : 0;
      const addChunk = this.#database.prepare("INSERT INTO chunks (id, file_id, start_line, end_line, text) VALUES (?, ?, ?, ?, ?)");
      const addWords = this.#database.prepare("INSERT INTO words (rowid, tokens) VALUES (?, ?)");
      for (const { startLine, endLine, text, headings } of file.chunks) {
        chunk += 1;
        addChunk.run(chunk, id, startLine, endLine, text);
        addWords.run(chunk, tokenize([...headings, text].join("\n")).join(" "));
      }
    });
  }

  /** Notes that a file with the same content has another time or size. */
  touch({ path, mtimeMs, sizeBytes }: FileState): void {
    this.#database.prepare("UPDATE files SET mtime_ms = ?, size_bytes = ? WHERE path = ?").run(mtimeMs, sizeBytes, path);
  }

  remove(path: string, atMs: number): void {
    this.#transaction(() => {
      this.#remove(path);
      this.#markUpdated(atMs);
    });
  }

  /**
   * The passages with any of the tokens, of each source those first whose tokens weigh most together, at most `count`. `exceptSession`: what the requests of this conversation contain is left out.
   */
  search(
    weights: ReadonlyMap<string, number>,
    options: { readonly count: number; readonly sources: readonly MemorySourceKind[]; readonly exceptSession?: string | undefined },
  ): readonly FoundChunk[] {
    const tokens = [...weights];
    return tokens.length === 0 ? [] : [...new Set(options.sources)].flatMap((source) => this.#searchIn(source, tokens, options));
  }

  #searchIn(
    source: MemorySourceKind,
    tokens: readonly (readonly [string, number])[],
    { count, exceptSession = null }: { readonly count: number; readonly exceptSession?: string | null | undefined },
  ): readonly FoundChunk[] {
    const { range, joined } = SOURCES[source];
    // The weights of the tokens alone: BM25 costs three times as much, and prefers a day with many of the words to one with all of them.
    const matches = `SELECT rowid, ? AS weight FROM words WHERE words MATCH ? AND ${range}`;
    return this.#database
      .prepare(
        `WITH found AS MATERIALIZED (SELECT rowid, sum(weight) AS weight FROM (${tokens.map(() => matches).join(" UNION ALL ")})
           GROUP BY rowid ORDER BY weight DESC, rowid DESC LIMIT ?) ${joined} LIMIT ?`,
      )
      .all(
        ...tokens.flatMap(([token, weight]) => [weight, matchExpression(token)]),
        count + (exceptSession === null ? 0 : SPARE),
        source === "sessions" ? exceptSession : null,
        count,
      )
      .map((row) => ({
        path: String(row["path"]),
        startLine: Number(row["start_line"]),
        endLine: Number(row["end_line"]),
        text: String(row["text"]),
        source,
        origin: row["origin"] as MemoryOrigin,
        ...(row["dated_ms"] === null ? {} : { datedMs: Number(row["dated_ms"]) }),
      }));
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
    this.#database.prepare("INSERT OR REPLACE INTO updates (id, at_ms) VALUES (1, ?)").run(atMs);
  }

  #remove(path: string): void {
    const ids = "SELECT c.id FROM chunks c JOIN files f ON f.id = c.file_id WHERE f.path = ?";
    this.#database.prepare(`DELETE FROM words WHERE rowid IN (${ids})`).run(path);
    this.#database.prepare(`DELETE FROM chunks WHERE id IN (${ids})`).run(path);
    this.#database.prepare("DELETE FROM files WHERE path = ?").run(path);
  }

  #transaction(work: () => void): void {
    this.#passages = undefined;
    this.#database.exec("BEGIN IMMEDIATE");
    try {
      work();
      this.#database.exec("COMMIT");
    } catch (error) {
      if (this.#database.isTransaction) this.#database.exec("ROLLBACK");
      throw error;
    }
  }
}

/** Removes a database with the files that SQLite keeps next to it. */
export function removeDatabase(file: string): void {
  for (const suffix of ["", "-journal", "-wal", "-shm"]) rmSync(`${file}${suffix}`, { force: true });
}

function open(file: string): DatabaseSync {
  const database = new DatabaseSync(file, { timeout: 1_000, enableForeignKeyConstraints: true });
  try {
    // A journal that is removed with each commit: a closed index is one file, which another can replace. What is deleted is overwritten.
    database.exec("PRAGMA journal_mode = DELETE; PRAGMA synchronous = NORMAL; PRAGMA secure_delete = ON;");
    const version = Number(database.prepare("PRAGMA user_version").get()?.["user_version"]);
    const isEmpty = database.prepare("SELECT 1 FROM sqlite_schema LIMIT 1").get() === undefined;
    if (isEmpty) database.exec(`BEGIN; ${SCHEMA} COMMIT;`);
    else if (version !== VERSION) throw new Error(`the index has version ${version}`);
    database.prepare("SELECT count(*) FROM files").get();
    return database;
  } catch (error) {
    database.close();
    throw error;
  }
}
