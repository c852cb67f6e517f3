import { StoreError } from "../../port/store-error.ts";
import { numberOf, textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import type { TableContext } from "./table-context.ts";

/** The owner of a transcript: one row per session id. */
export interface Conversation {
  readonly n: number;
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  readonly startedAtMs: number;
  readonly lastEntry: number;
}

/** The conversations that sessions have had, and those that an import is filling. */
export class ConversationTable {
  readonly #context: TableContext;

  constructor(context: TableContext) {
    this.#context = context;
  }

  /** Starts a conversation; a session id is used once. */
  begin(session: { readonly sessionId: string; readonly key: string; readonly agentId: string }, startedAtMs: number): Conversation {
    const row = this.#context.database.get(
      `INSERT INTO conversations (session_id, session_key, agent_id, started_at) VALUES (?, ?, ?, ?) ON CONFLICT DO NOTHING RETURNING *`,
      session.sessionId,
      session.key,
      session.agentId,
      startedAtMs,
    );
    if (row === undefined) throw new StoreError("conflict", `The session id ${session.sessionId} is in use.`);
    return toConversation(row);
  }

  /** Starts a conversation that is invisible until `adopt`. */
  beginImport(): number {
    return this.#context.database.insert(
      `INSERT INTO conversations (session_id, session_key, agent_id, started_at, is_import) VALUES ('import ' || hex(randomblob(16)), '', '', 0, 1)`,
    );
  }

  /** Attaches an imported conversation to its session; a session id is used once. */
  adopt(
    n: number,
    session: { readonly sessionId: string; readonly key: string; readonly agentId: string },
    startedAtMs: number,
  ): Conversation {
    if (this.find(session.sessionId) !== undefined) throw new StoreError("conflict", `The session id ${session.sessionId} is in use.`);
    this.#context.database.run(
      "UPDATE conversations SET session_id = ?, session_key = ?, agent_id = ?, started_at = ?, is_import = 0 WHERE n = ?",
      session.sessionId,
      session.key,
      session.agentId,
      startedAtMs,
      n,
    );
    this.#context.appended(n);
    return this.read(n);
  }

  /** Conversations whose import has not finished. */
  imports(): readonly number[] {
    return this.#context.database.all("SELECT n FROM conversations WHERE is_import = 1").map((row) => numberOf(row, "n"));
  }

  find(sessionId: string): Conversation | undefined {
    const row = this.#context.database.get("SELECT * FROM conversations WHERE session_id = ?", sessionId);
    return row === undefined ? undefined : toConversation(row);
  }

  read(n: number): Conversation {
    const row = this.#context.database.get("SELECT * FROM conversations WHERE n = ?", n);
    if (row === undefined) throw new StoreError("not-found", "The conversation was deleted.");
    return toConversation(row);
  }

  /** True if a session with this key, or one of a thread of its address, has entries. */
  hasEntries(key: string): boolean {
    const found = this.#context.database.get(
      "SELECT 1 FROM conversations WHERE (session_key = ? OR (session_key > ? AND session_key < ?)) AND last_entry > 0 LIMIT 1",
      key,
      `${key}:`,
      // The character after the colon.
      `${key};`,
    );
    return found !== undefined;
  }

  /** Every conversation of a key. */
  ofKey(key: string): readonly Conversation[] {
    return this.#context.database.all("SELECT * FROM conversations WHERE session_key = ?", key).map(toConversation);
  }
}

/** A row of `conversations`. */
export function toConversation(row: Row): Conversation {
  return {
    n: numberOf(row, "n"),
    sessionId: textOf(row, "session_id"),
    sessionKey: textOf(row, "session_key"),
    agentId: textOf(row, "agent_id"),
    startedAtMs: numberOf(row, "started_at"),
    lastEntry: numberOf(row, "last_entry"),
  };
}
