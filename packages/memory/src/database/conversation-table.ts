import type { DatabaseSync } from "node:sqlite";
import type { MemoryOrigin } from "@factotum/agent-contract";
import type { NoteChunk } from "../chunks/chunk-note.ts";
import { tokenize } from "../tokens/tokenize.ts";
import { textHashOf } from "./text-hash.ts";

/** Ids of conversation passages begin here, and those of notes are smaller: so either source can be searched alone. */
export const FIRST_SAID: number = 2 ** 40;

/** How far a conversation is indexed. */
export interface ConversationState {
  readonly sessionId: string;
  readonly lastEntryId: string;
  /** The time of that entry. */
  readonly activeAtMs: number;
  /** The assistant has read text of others in it. */
  readonly isTainted: boolean;
  /** Someone else has written in it: nothing of it is indexed. */
  readonly isExcluded: boolean;
}

/** What was said in one entry. */
export interface SaidText {
  readonly entryId: string;
  readonly atMs: number;
  readonly origin: MemoryOrigin;
  readonly chunks: readonly NoteChunk[];
}

/** The tables of conversations. */
export const CONVERSATION_SCHEMA: string = `
CREATE TABLE conversations (id INTEGER PRIMARY KEY, session_id TEXT NOT NULL UNIQUE, last_entry TEXT NOT NULL, active_ms REAL NOT NULL,
  is_tainted INTEGER NOT NULL, is_excluded INTEGER NOT NULL, in_context_from TEXT NOT NULL DEFAULT '') STRICT;
CREATE TABLE said (id INTEGER PRIMARY KEY, conversation_id INTEGER NOT NULL REFERENCES conversations(id), entry TEXT NOT NULL, start_line INTEGER NOT NULL,
  end_line INTEGER NOT NULL, text TEXT NOT NULL, text_hash TEXT NOT NULL, at_ms REAL NOT NULL, origin TEXT NOT NULL) STRICT;
CREATE INDEX said_in ON said(conversation_id, entry);
CREATE INDEX said_text ON said(text_hash);`;

/** The conversations of an index. Calls that write belong into a transaction of the caller. */
export class ConversationTable {
  readonly #database: DatabaseSync;

  constructor(database: DatabaseSync) {
    this.#database = database;
  }

  /** All conversations that were read, by session id; also those of which nothing is indexed. */
  states(): ReadonlyMap<string, ConversationState> {
    const rows = this.#database.prepare("SELECT session_id, last_entry, active_ms, is_tainted, is_excluded FROM conversations").all();
    return new Map(
      rows.map((row) => [
        String(row["session_id"]),
        {
          sessionId: String(row["session_id"]),
          lastEntryId: String(row["last_entry"]),
          activeAtMs: Number(row["active_ms"]),
          isTainted: row["is_tainted"] === 1,
          isExcluded: row["is_excluded"] === 1,
        },
      ]),
    );
  }

  /** Adds the texts of new entries, and records up to which entry the conversation was read. */
  append({ sessionId, lastEntryId, activeAtMs, isTainted, isExcluded }: ConversationState, texts: readonly SaidText[]): void {
    const row = this.#database
      .prepare(
        `INSERT INTO conversations (session_id, last_entry, active_ms, is_tainted, is_excluded) VALUES (?, ?, ?, ?, ?)
         ON CONFLICT (session_id) DO UPDATE SET last_entry = excluded.last_entry, active_ms = excluded.active_ms, is_tainted = excluded.is_tainted,
           is_excluded = excluded.is_excluded RETURNING id`,
      )
      .get(sessionId, lastEntryId, activeAtMs, isTainted ? 1 : 0, isExcluded ? 1 : 0);
    const conversation = Number(row?.["id"]);
    const newest = this.#database.prepare("SELECT max(id) AS id FROM said").get()?.["id"];
    const addText = this.#database.prepare(
      "INSERT INTO said (id, conversation_id, entry, start_line, end_line, text, text_hash, at_ms, origin) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)",
    );
    const addWords = this.#database.prepare("INSERT INTO words (rowid, tokens) VALUES (?, ?)");
    let id = typeof newest === "number" ? newest : FIRST_SAID;
    for (const { entryId, atMs, origin, chunks } of texts)
      for (const { startLine, endLine, text } of chunks) {
        id += 1;
        addText.run(id, conversation, entryId, startLine, endLine, text, textHashOf("sessions", text), atMs, origin);
        addWords.run(id, tokenize(text).join(" "));
      }
  }

  /** Removes everything of a conversation. */
  remove(sessionId: string): void {
    const of = "SELECT id FROM conversations WHERE session_id = ?";
    this.#database.prepare(`DELETE FROM words WHERE rowid IN (SELECT id FROM said WHERE conversation_id = (${of}))`).run(sessionId);
    this.#database.prepare(`DELETE FROM said WHERE conversation_id = (${of})`).run(sessionId);
    this.#database.prepare("DELETE FROM conversations WHERE session_id = ?").run(sessionId);
  }

  /** Records the first entry that the requests of each conversation still contain; empty for all entries. */
  markContext(contexts: ReadonlyMap<string, string>): void {
    const mark = this.#database.prepare("UPDATE conversations SET in_context_from = ? WHERE session_id = ? AND in_context_from <> ?");
    for (const [sessionId, from] of contexts) mark.run(from, sessionId, from);
  }

  /** The hashes of the texts that the requests of a conversation contain. */
  inContext(sessionId: string): ReadonlySet<string> {
    const rows = this.#database
      .prepare(
        "SELECT s.text_hash FROM said s JOIN conversations v ON v.id = s.conversation_id WHERE v.session_id = ? AND s.entry >= v.in_context_from",
      )
      .all(sessionId);
    return new Set(rows.map((row) => String(row["text_hash"])));
  }

  /** The origins of the indexed entries of a conversation, from one on, at most `count`. */
  origins(sessionId: string, from: string, count: number): ReadonlyMap<string, MemoryOrigin> {
    const rows = this.#database
      .prepare(
        `SELECT entry, min(origin) AS origin FROM said WHERE conversation_id = (SELECT id FROM conversations WHERE session_id = ?) AND entry >= ?
         GROUP BY entry ORDER BY entry LIMIT ?`,
      )
      .all(sessionId, from, count);
    return new Map(rows.map((row) => [String(row["entry"]), row["origin"] as MemoryOrigin]));
  }
}
