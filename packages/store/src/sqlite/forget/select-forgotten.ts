import type { DatabaseSync } from "node:sqlite";

/** What is forgotten, by number. A conversation is `whole` if nothing of it remains. */
const SELECTION = `
CREATE TEMP TABLE forgotten_keys (key TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TEMP TABLE forgotten_jobs (id TEXT PRIMARY KEY) WITHOUT ROWID;
CREATE TEMP TABLE forgotten_conversations (n INTEGER PRIMARY KEY, is_whole INTEGER NOT NULL);
CREATE TEMP TABLE forgotten_turns (n INTEGER PRIMARY KEY, id TEXT NOT NULL);
CREATE TEMP TABLE forgotten_entries (id INTEGER PRIMARY KEY, conversation INTEGER NOT NULL);
CREATE TEMP TABLE forgotten_inputs (id INTEGER PRIMARY KEY);
`;

/** An input that a forgotten session asked for by a job, also if the job is gone. */
const IS_MADE = `(payload ->> '$.admission.madeBy.sessionKey' IN (SELECT key FROM forgotten_keys)
  OR is_time(coalesce(payload ->> '$.admission.madeBy.atMs', -1)))`;

/** The turns of these rows belong to it as a whole. */
const OF_TURNS = "SELECT n FROM forgotten_turns";

/** Where turns of the sessions came from: commands, and messages that were dropped, have no turn. */
const PLACES = `
CREATE TEMP TABLE forgotten_places AS SELECT DISTINCT payload ->> '$.origin' AS origin FROM turns
  WHERE json_valid(payload) AND kind NOT IN ('cron', 'hook') AND conversation IN (SELECT n FROM conversations WHERE session_key IN (SELECT key FROM forgotten_keys));
`;

/** The chats of forgotten turns. */
const CHATS = `
CREATE TEMP TABLE forgotten_chats AS SELECT DISTINCT payload ->> '$.origin.conversation.id' AS id FROM turns
  WHERE json_valid(payload) AND n IN (SELECT n FROM forgotten_turns) AND payload ->> '$.origin.conversation.id' IS NOT NULL;
`;

/** Sessions that are called by words of what is forgotten. A long name ends with an ellipsis. */
const NAMED = `
CREATE TEMP TABLE forgotten_names AS SELECT sessions.key FROM sessions JOIN transcript ON transcript.conversation = sessions.conversation
  WHERE transcript.id IN (SELECT id FROM forgotten_entries) AND json_valid(sessions.facts)
  AND instr(transcript.payload, trim(json_quote(rtrim(sessions.facts ->> '$.displayName', '…')), '"')) > 0;
`;

/**
 * Finds what is forgotten, into temporary tables: sessions with the sessions that they have begun, jobs, and whole turns, with the inputs that they answered. A
 * summary of a conversation goes if anything before it does, since it does not tell what it was made of.
 */
export function selectForgotten(connection: DatabaseSync, atMs: number): void {
  connection.exec(SELECTION);
  const run = (sql: string): void => void connection.prepare(sql).run(sql.includes(":at") ? { at: atMs } : {});
  selectSessions(connection, run);
  connection.exec(PLACES);
  run(`INSERT INTO forgotten_conversations SELECT n, 1 FROM conversations
       WHERE is_import = 0 AND started_at <= :at AND session_key IN (SELECT key FROM forgotten_keys)`);
  // A branch has no words, and what it leads to may be from another time.
  run(`INSERT INTO forgotten_entries SELECT id, conversation FROM transcript WHERE at <= :at
       AND (conversation IN (SELECT n FROM forgotten_conversations) OR (type <> 'branch' AND (is_time(at) OR is_text(payload))))`);
  run(`INSERT INTO forgotten_turns SELECT n, id FROM turns WHERE started_at <= :at
       AND (conversation IN (SELECT n FROM forgotten_conversations) OR is_time(started_at) OR is_text(coalesce(outcome, ''))
       OR n IN (SELECT turn FROM transcript WHERE turn IS NOT NULL AND id IN (SELECT id FROM forgotten_entries)))`);
  run(`INSERT INTO forgotten_inputs SELECT id FROM inbox WHERE received_at <= :at AND reason IS NOT 'forgotten'
       AND (is_time(received_at) OR is_text(payload) OR turn IN (${OF_TURNS})
       OR CASE WHEN json_valid(payload) THEN payload ->> '$.admission.sessionKey' IN (SELECT key FROM forgotten_keys) OR ${IS_MADE}
         OR (turn IS NULL AND state NOT IN ('waiting', 'claimed') AND payload ->> '$.message.origin' IN (SELECT origin FROM forgotten_places)) END)`);
  run(`INSERT OR IGNORE INTO forgotten_turns SELECT n, id FROM turns WHERE started_at <= :at
       AND n IN (SELECT turn FROM inbox WHERE turn IS NOT NULL AND id IN (SELECT id FROM forgotten_inputs))`);
  run(`INSERT OR IGNORE INTO forgotten_inputs SELECT id FROM inbox WHERE turn IN (${OF_TURNS}) AND reason IS NOT 'forgotten'`);
  run(`INSERT OR IGNORE INTO forgotten_entries SELECT id, conversation FROM transcript WHERE turn IN (${OF_TURNS}) AND at <= :at`);
  selectSummaries(run);
  // Where branches begin, if nothing else remains.
  run(`INSERT OR IGNORE INTO forgotten_entries SELECT id, conversation FROM transcript WHERE type = 'branch' AND at <= :at AND conversation NOT IN
       (SELECT conversation FROM transcript WHERE type <> 'branch' AND id NOT IN (SELECT id FROM forgotten_entries))`);
  run(`INSERT OR IGNORE INTO forgotten_conversations SELECT DISTINCT conversation, 0 FROM forgotten_entries`);
  run("INSERT OR IGNORE INTO forgotten_conversations SELECT DISTINCT conversation, 0 FROM transcript WHERE has_quote(payload)");
  run(`UPDATE forgotten_conversations SET is_whole = n NOT IN
       (SELECT conversation FROM transcript WHERE id NOT IN (SELECT id FROM forgotten_entries))`);
  connection.exec(NAMED + CHATS);
}

/** A session that was begun by one that is forgotten, or by a job that was made in one, is forgotten with it. */
function selectSessions(connection: DatabaseSync, run: (sql: string) => void): void {
  const jobsOf = `INSERT OR IGNORE INTO forgotten_jobs SELECT id FROM jobs WHERE json_valid(payload) AND payload ->> '$.system' IS NULL
    AND payload ->> '$.createdAtMs' <= :at
    AND (is_time(payload ->> '$.createdAtMs') OR is_text(payload) OR payload ->> '$.authority.sessionKey' IN (SELECT key FROM forgotten_keys))`;
  run("INSERT INTO forgotten_keys SELECT session_key FROM conversations WHERE is_import = 0 AND is_session(session_key) GROUP BY 1");
  for (let known = -1; known !== count(connection, "forgotten_keys");) {
    known = count(connection, "forgotten_keys");
    run(jobsOf);
    run(`INSERT OR IGNORE INTO forgotten_keys SELECT key FROM sessions
         WHERE json_valid(facts) AND facts ->> '$.spawnedBy' IN (SELECT key FROM forgotten_keys)`);
    // A session that expires is that of one run, and may be gone before the input that began it.
    run(`INSERT OR IGNORE INTO forgotten_keys SELECT payload ->> '$.admission.sessionKey' FROM inbox WHERE json_valid(payload) AND received_at <= :at
         AND payload ->> '$.admission.expiresAtMs' IS NOT NULL AND payload ->> '$.admission.sessionKey' IS NOT NULL AND ${IS_MADE}`);
    run(`INSERT OR IGNORE INTO forgotten_keys SELECT session_key FROM conversations, forgotten_jobs
         WHERE is_import = 0 AND instr(':' || session_key || ':', ':cron:' || forgotten_jobs.id || ':') > 0`);
  }
}

/** Each summary takes its own turn with it. */
function selectSummaries(run: (sql: string) => void): void {
  run(`INSERT OR IGNORE INTO forgotten_entries SELECT id, conversation FROM transcript WHERE type = 'compaction' AND id >
       (SELECT min(forgotten.id) FROM forgotten_entries AS forgotten WHERE forgotten.conversation = transcript.conversation)`);
  run(`INSERT OR IGNORE INTO forgotten_turns SELECT n, id FROM turns WHERE kind = 'compaction' AND started_at <= :at
       AND n IN (SELECT turn FROM transcript WHERE type = 'compaction' AND id IN (SELECT id FROM forgotten_entries))`);
}

/** The rows of a temporary table of the selection. */
function count(connection: DatabaseSync, table: string): number {
  return Number(connection.prepare(`SELECT count(*) AS count FROM temp.${table}`).get()?.["count"] ?? 0);
}
