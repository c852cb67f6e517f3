import type { DatabaseSync } from "node:sqlite";

/** Why a pending row is not sent, or answered, again. */
export const UNCERTAIN = "the database was damaged and restored from a copy: it may have been done since";

/** Sessions used this long before the newest activity that is known are the likely ones to have been used in the lost time. */
const LIKELY_MS = 24 * 60 * 60_000;

/** Sessions that an event of damage lists, at most. */
const MAX_SESSIONS = 100;

/** The pending rows that a recovery gave up, since they may have been done. */
export interface UncertainRows {
  /** Received messages without a known answer: dead letters now. */
  readonly inputs: number;
  /** Messages of which it is not known whether they were sent. */
  readonly outbound: number;
}

/** Counts the rows that were given up at this time. */
export function countUncertain(database: DatabaseSync, nowMs: number): UncertainRows {
  const count = (sql: string, reason: string): number => Number(database.prepare(sql).get(reason, nowMs)?.["count"]);
  return {
    inputs: count("SELECT count(*) AS count FROM inbox WHERE state = 'dead' AND reason = ? AND settled_at = ?", UNCERTAIN),
    outbound: count(
      "SELECT count(*) AS count FROM outbox WHERE state = 'ambiguous' AND result = ? AND settled_at = ?",
      JSON.stringify(UNCERTAIN),
    ),
  };
}

/** Since when a session must have been used to have likely been used in the lost time too. To be asked before newer entries are restored. */
export function likelySince(database: DatabaseSync): number {
  return Number(database.prepare("SELECT coalesce(max(updated_at), 0) AS at FROM sessions").get()?.["at"]) - LIKELY_MS;
}

/**
 * Keys of the sessions that may have lost something, at most 100: first those that certainly were in use in the lost time, because their plain file has newer
 * entries or because work of theirs was given up, then those that were used within a day before it. The newest first; those of single requests are left out.
 */
export function findAffected(
  database: DatabaseSync,
  {
    conversations,
    likelySinceMs,
    nowMs,
  }: {
    /** Conversations that newer entries were restored to. */
    readonly conversations: readonly number[];
    readonly likelySinceMs: number;
    /** When the pending rows were given up. */
    readonly nowMs: number;
  },
): readonly string[] {
  const rows = database
    .prepare(
      `WITH certain (key) AS (
         SELECT session_key FROM conversations WHERE n IN (SELECT value FROM json_each(?))
         UNION SELECT session_key FROM outbox WHERE state = 'ambiguous' AND settled_at = ?
         UNION SELECT session_key FROM conversations JOIN turns ON turns.conversation = conversations.n WHERE turns.state = 'failed' AND turns.ended_at = ?
       )
       SELECT key FROM sessions WHERE expires_at IS NULL AND (updated_at >= ? OR key IN certain)
       ORDER BY key IN certain DESC, updated_at DESC, key LIMIT ?`,
    )
    .all(JSON.stringify(conversations), nowMs, nowMs, likelySinceMs, MAX_SESSIONS);
  return rows.map(({ key }) => String(key));
}
