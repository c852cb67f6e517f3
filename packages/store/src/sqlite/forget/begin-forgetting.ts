import { join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import type { AgentMessage } from "@factotum/agent-contract";
import { BUSY_TIMEOUT_MS } from "../connection/database.ts";
import { DATABASE_NAME } from "../connection/database-name.ts";
import { toStoreError } from "../to-store-error.ts";
import { addForgetFunctions } from "./forget-functions.ts";
import { mapTexts, type ForgetRules } from "./forget-rules.ts";
import { forgetInTables } from "./forgotten-tables.ts";
import { selectForgotten } from "./select-forgotten.ts";
import { settleBranches } from "./settle-branches.ts";

/** Ids of received files, and digests of sent ones. */
const FILE_ID = /\b(?:[0-9a-f]{64}|[0-9a-f]{32})\b/g;

/** Options of `beginForgetting`. */
export interface ForgetOptions {
  /** The state folder. No process may use it, and the database must be of this version: open and close the store first. */
  readonly folder: string;
  readonly rules: ForgetRules;
  /** Digests of kept copies of files that held something of it. */
  readonly copies: readonly string[];
}

/** A call of a tool in what is forgotten. */
export interface ForgottenCall {
  readonly agentId: string;
  /** When its turn began and ended, milliseconds since the epoch. */
  readonly startedAtMs: number;
  readonly endedAtMs: number;
  readonly tool: string;
  /** Every text in its arguments. */
  readonly texts: readonly string[];
}

/** A conversation that loses something. */
export interface ForgottenConversation {
  readonly sessionId: string;
  readonly sessionKey: string;
  readonly agentId: string;
  /** Nothing of it remains. */
  readonly isWhole: boolean;
}

/** What is forgotten, in a transaction that is open until it is committed or disposed. */
export interface OpenForgetting extends Disposable {
  /** Rows by what they are called. */
  readonly counts: ReadonlyMap<string, number>;
  readonly conversations: readonly ForgottenConversation[];
  readonly calls: readonly ForgottenCall[];
  /** Ids and digests that may name files of what is forgotten. */
  readonly fileIds: ReadonlySet<string>;
  /** Session keys of everything that is forgotten as a whole. */
  readonly keys: ReadonlySet<string>;
  /** Session ids of the conversations that the database knows. */
  readonly known: ReadonlySet<string>;
  /** Digests of the copies of files that are still in use. */
  readonly usedCopies: ReadonlySet<string>;
  /** Commits, overwrites the freed pages and rewrites the file and its indexes, and empties the log. */
  commit(): void;
}

/**
 * Removes everything that the rules name from the database, and says what files belong to it: remove those before the commit, so that after a crash the same
 * call finds them again. Throws a `StoreError`.
 */
export function beginForgetting({ folder, rules, copies }: ForgetOptions): OpenForgetting {
  const connection = new DatabaseSync(join(folder, DATABASE_NAME), { enableForeignKeyConstraints: true, timeout: BUSY_TIMEOUT_MS });
  const dispose = (): void => {
    if (connection.isOpen) connection.close();
  };
  try {
    connection.exec("PRAGMA secure_delete = ON; PRAGMA temp_store = MEMORY; BEGIN IMMEDIATE");
    addForgetFunctions(connection, rules);
    selectForgotten(connection, rules.atMs);
    const found = { conversations: conversationsOf(connection), calls: callsOf(connection), fileIds: fileIdsOf(connection) };
    const keys = setOf(connection, "SELECT key AS value FROM forgotten_keys");
    const counts = forgetInTables(connection, { atMs: rules.atMs, copies: JSON.stringify(copies) });
    settleBranches(connection);
    const usedCopies = setOf(connection, "SELECT DISTINCT digest AS value FROM checkpoints WHERE digest IS NOT NULL");
    const known = setOf(connection, "SELECT session_id AS value FROM conversations");
    return {
      ...found,
      keys,
      counts,
      usedCopies,
      known,
      commit: () => guarded(() => connection.exec("COMMIT; PRAGMA wal_checkpoint(TRUNCATE); VACUUM; PRAGMA wal_checkpoint(TRUNCATE)")),
      [Symbol.dispose]: dispose,
    };
  } catch (error) {
    dispose();
    throw toStoreError(error);
  }
}

function guarded(work: () => void): void {
  try {
    work();
  } catch (error) {
    throw toStoreError(error);
  }
}

function conversationsOf(connection: DatabaseSync): readonly ForgottenConversation[] {
  const rows = connection
    .prepare("SELECT session_id, session_key, agent_id, is_whole FROM forgotten_conversations JOIN conversations USING (n) ORDER BY n")
    .all();
  return rows.map((row) => ({
    sessionId: String(row["session_id"]),
    sessionKey: String(row["session_key"]),
    agentId: String(row["agent_id"]),
    isWhole: row["is_whole"] === 1,
  }));
}

function callsOf(connection: DatabaseSync): readonly ForgottenCall[] {
  const rows = connection.prepare(
    `SELECT transcript.payload, transcript.at, turns.started_at, turns.ended_at, conversations.agent_id FROM forgotten_entries
     JOIN transcript USING (id) JOIN conversations ON conversations.n = transcript.conversation LEFT JOIN turns ON turns.n = transcript.turn
     WHERE transcript.type = 'message' AND json_valid(transcript.payload) AND transcript.payload ->> '$.role' = 'assistant'`,
  );
  const calls: ForgottenCall[] = [];
  for (const row of rows.iterate()) {
    const { content } = JSON.parse(String(row["payload"])) as Extract<AgentMessage, { role: "assistant" }>;
    for (const block of content) {
      if (block.type !== "toolCall") continue;
      const texts: string[] = [];
      mapTexts(JSON.stringify(block.arguments), (text) => (texts.push(text), text));
      calls.push({
        agentId: String(row["agent_id"]),
        startedAtMs: Number(row["started_at"] ?? row["at"]),
        endedAtMs: Number(row["ended_at"] ?? row["at"]),
        tool: block.name,
        texts,
      });
    }
  }
  return calls;
}

function fileIdsOf(connection: DatabaseSync): ReadonlySet<string> {
  const rows = connection.prepare(
    `SELECT payload FROM transcript WHERE id IN (SELECT id FROM forgotten_entries)
     UNION ALL SELECT payload FROM inbox WHERE id IN (SELECT id FROM forgotten_inputs)
     UNION ALL SELECT payload FROM outbox WHERE turn IN (SELECT n FROM forgotten_turns) OR session_key IN (SELECT key FROM forgotten_keys) OR is_time(created_at)`,
  );
  const ids = new Set<string>();
  for (const row of rows.iterate()) for (const [id] of String(row["payload"]).matchAll(FILE_ID)) ids.add(id);
  return ids;
}

function setOf(connection: DatabaseSync, sql: string): ReadonlySet<string> {
  return new Set(
    connection
      .prepare(sql)
      .all()
      .map((row) => String(row["value"])),
  );
}
