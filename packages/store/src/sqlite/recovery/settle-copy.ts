import { INDEX_SENT_MESSAGES } from "../connection/schema.ts";
import { COUNT_ACCOUNT_STATE } from "../tables/account-table.ts";
import type { DatabaseSync } from "node:sqlite";
import { NO_USAGE_TOTALS } from "@factotum/agent-contract";

/** Options of `abandonPending`. */
export interface SettleOptions {
  readonly nowMs: number;
  /** Why pending work is not repeated; people read it. */
  readonly reason: string;
}

/** Pending work that was ended. */
export interface AbandonedWork {
  /** Messages that became dead letters. */
  readonly inputs: number;
  /** Answers that are ambiguous now. */
  readonly outbound: number;
  /** Edits, reactions, receipts and the like that no turn has shown. They are ignored: nobody waits for an answer, and a replay would show nothing new. */
  readonly events: number;
}

/** A waiting input that starts no turn. A damaged payload counts as a message. */
const IS_EVENT = "CASE WHEN json_valid(payload) THEN json_extract(payload, '$.message.event.type') NOT IN ('message', 'action') ELSE 0 END";

/**
 * Ends all work that is pending in a copy of a database: it may have been done since the copy was made, and nothing is repeated without a request. Messages
 * become dead letters, other events are ignored, answers become ambiguous, running turns failed.
 */
export function abandonPending(database: DatabaseSync, { nowMs, reason }: SettleOptions): AbandonedWork {
  const events = database
    .prepare(`UPDATE inbox SET state = 'ignored', reason = ?, settled_at = ? WHERE state = 'waiting' AND ${IS_EVENT}`)
    .run(reason, nowMs);
  const inputs = database
    .prepare("UPDATE inbox SET state = 'dead', reason = ?, settled_at = ? WHERE state IN ('waiting', 'claimed')")
    .run(reason, nowMs);
  const outbound = database
    .prepare("UPDATE outbox SET state = 'ambiguous', result = ?, may_be_shown = 1, settled_at = ? WHERE state IN ('waiting', 'sending')")
    .run(JSON.stringify(reason), nowMs);
  database.exec("UPDATE occurrences SET state = 'failed' WHERE state IN ('claimed', 'running')");
  database.prepare("UPDATE jobs SET ignored_before = ?").run(nowMs);
  // Their sessions may have been told since.
  database.exec("DELETE FROM background_commands");
  // Their steps may have been made since.
  database.exec("DELETE FROM exchanges");
  // They may have been released since.
  database.exec("DELETE FROM focuses");
  database
    .prepare("UPDATE spawns SET state = 'lost', announced_at = ? WHERE state IN ('queued', 'running') OR announced_at IS NULL")
    .run(nowMs);
  database
    .prepare("UPDATE turns SET state = 'failed', inputs = '[]', ended_at = ?, outcome = ? WHERE state = 'running'")
    .run(nowMs, JSON.stringify({ usage: NO_USAGE_TOTALS, failure: { code: "damaged", message: reason } }));
  return { inputs: Number(inputs.changes), outbound: Number(outbound.changes), events: Number(events.changes) };
}

/** Repairs references to missing rows, and makes the copy an independent database: with a new id, and with row numbers that the original has not assigned. */
export function repairReferences(
  database: DatabaseSync,
  { databaseId, nowMs, reason }: SettleOptions & { readonly databaseId: string },
): void {
  removeOrphans(database);
  database
    .prepare(
      `UPDATE inbox SET state = 'dead', reason = ?, settled_at = ?
       WHERE state = 'claimed' AND (turn IS NULL OR turn NOT IN (SELECT n FROM turns WHERE state = 'running'))`,
    )
    .run(reason, nowMs);
  database.exec(`
    UPDATE conversations SET last_entry = (SELECT coalesce(max(id), 0) FROM transcript WHERE transcript.conversation = conversations.n)
      WHERE last_entry NOT IN (SELECT id FROM transcript);
    UPDATE totals SET sessions = (SELECT count(*) FROM sessions);
    ${COUNT_ACCOUNT_STATE}
    ${INDEX_SENT_MESSAGES}
  `);
  // Numbers are never reused, even lost ones.
  database.exec("UPDATE sqlite_sequence SET seq = seq + 1000");
  // The result diverges from the lost database from here on: it gets an id of its own.
  database
    .prepare(
      `INSERT INTO ownership (id, epoch, boot_id, opened_at, database_id) VALUES (1, 1, ?, ?, ?)
       ON CONFLICT DO UPDATE SET database_id = excluded.database_id`,
    )
    .run(databaseId, nowMs, databaseId);
}

/** Removes rows whose parent row is gone, repeatedly, since they may have dependent rows themselves. */
export function removeOrphans(database: DatabaseSync): void {
  const keys = database
    .prepare(
      `SELECT tables.name AS child, keys."from" AS column, keys."table" AS parent, keys."to" AS target
       FROM pragma_table_list AS tables, pragma_foreign_key_list(tables.name) AS keys WHERE tables.schema = 'main' AND tables.type = 'table'`,
    )
    .all();
  let removed: number;
  do {
    removed = 0;
    for (const { child, column, parent, target } of keys) {
      const lost = `"${String(column)}" IS NOT NULL AND "${String(column)}" NOT IN (SELECT "${String(target)}" FROM "${String(parent)}")`;
      removed += Number(database.prepare(`DELETE FROM "${String(child)}" WHERE ${lost}`).run().changes);
    }
  } while (removed > 0);
}
