import type { DatabaseSync } from "node:sqlite";

/** Why a pending row is not sent, or answered, again. */
export const UNCERTAIN = "the database was damaged and restored from a copy: it may have been done since";

/** Sessions that were used within this time before the newest known activity were probably also used in the lost period. */
const LIKELY_MS = 24 * 60 * 60_000;

/** Maximum sessions in a damage event. */
const MAX_SESSIONS = 100;

/** Pending rows that a recovery gave up, since they may have been processed. */
export interface UncertainRows {
  /** Received messages without a known answer; they are dead letters now. */
  readonly inputs: number;
  /** Messages that may or may not have been sent. */
  readonly outbound: number;
  /** Edits, reactions, receipts and the like that are ignored now. */
  readonly events: number;
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
    events: count("SELECT count(*) AS count FROM inbox WHERE state = 'ignored' AND reason = ? AND settled_at = ?", UNCERTAIN),
  };
}

/** The time since which a session must have been used to count as probably used in the lost period. Call it before newer entries are restored. */
export function likelySince(database: DatabaseSync): number {
  return Number(database.prepare("SELECT coalesce(max(updated_at), 0) AS at FROM sessions").get()?.["at"]) - LIKELY_MS;
}

/**
 * Keys of the sessions that may have lost something, at most 100: first those that were certainly in use in the lost period, because their plain file has newer
 * entries or because their work was given up, then those that were used within a day before it. Newest first; sessions of single requests are left out.
 */
export function findAffected(
  database: DatabaseSync,
  {
    conversations,
    likelySinceMs,
    nowMs,
  }: {
    /** Conversations with restored newer entries. */
    readonly conversations: readonly number[];
    readonly likelySinceMs: number;
    /** The time at which the pending rows were given up. */
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
