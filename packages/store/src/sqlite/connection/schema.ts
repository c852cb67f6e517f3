import type { Database } from "./database.ts";
import { fillMessageKeys } from "./fill-message-keys.ts";
import { FIRST_SCHEMA } from "./first-schema.ts";

/** One step forward. Released steps are never edited: a change is a new step. */
export interface Migration {
  /** The value of `user_version` after the step. */
  readonly version: number;
  readonly sql: string;
  /** The part of the migration that SQL cannot express, in the same transaction. */
  readonly fill?: (database: Database) => void;
}

/**
 * Turns get numbers, prompts their outlines, and every model request a short row. Requests refer to other rows without a foreign key: checking one would need
 * one more index on each.
 */
const REQUESTS = `
ALTER TABLE turns ADD COLUMN number INTEGER NOT NULL DEFAULT 0;
UPDATE turns SET number = ranked.number
  FROM (SELECT n, row_number() OVER (PARTITION BY conversation ORDER BY n) AS number FROM turns) AS ranked WHERE ranked.n = turns.n;
DROP INDEX turns_by_conversation;
CREATE UNIQUE INDEX turns_by_number ON turns (conversation, number);

ALTER TABLE prompts ADD COLUMN outline TEXT REFERENCES prompt_texts (hash);
CREATE INDEX prompts_by_outline ON prompts (outline) WHERE outline IS NOT NULL;

CREATE INDEX transcript_compactions ON transcript (conversation) WHERE type = 'compaction';

-- What many requests have in common; as many rows as models and settings.
CREATE TABLE request_profiles (
  n INTEGER PRIMARY KEY,
  body TEXT NOT NULL UNIQUE
) STRICT;
CREATE TABLE requests (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation INTEGER NOT NULL,
  turn INTEGER NOT NULL,
  prompt INTEGER,
  profile INTEGER NOT NULL,
  at INTEGER NOT NULL,
  payload TEXT NOT NULL,
  sum INTEGER NOT NULL
) STRICT;
-- Turns of a conversation follow each other, so this is the order of sending too.
CREATE INDEX requests_by_turn ON requests (conversation, turn);
`;

/** The body of a request whose texts are stored nowhere else: a summariser's. Few requests have one; it is removed with the request. */
const REQUEST_BODIES = `
ALTER TABLE requests ADD COLUMN body TEXT;
ALTER TABLE requests ADD COLUMN body_sum INTEGER;
`;

/** Rows that were replaced by others are pruned together with accepted ones. */
const REPLACED_OUTBOX = `
DROP INDEX outbox_settled;
CREATE INDEX outbox_settled ON outbox (settled_at) WHERE state IN ('accepted', 'suppressed', 'replaced');
`;

/**
 * Records for every outgoing row whether a send of it ever got no answer: one that was rejected or given up later may have been shown all the same. For old
 * rows with several attempts this is unknown, so they count as shown.
 */
const DEAD_LETTERS = `
ALTER TABLE outbox ADD COLUMN may_be_shown INTEGER NOT NULL DEFAULT 0;
UPDATE outbox SET may_be_shown = 1 WHERE state = 'ambiguous' OR (state IN ('dead', 'waiting') AND attempts > 1);
DROP INDEX outbox_given_up;
CREATE INDEX outbox_given_up ON outbox (id, state) WHERE state IN ('dead', 'ambiguous');
`;

/** Lookup of a delivery's notice by the delivery's key, independent of the number of entries and conversations. */
const NOTICE_KEYS = `
ALTER TABLE transcript ADD COLUMN key TEXT;
CREATE UNIQUE INDEX transcript_by_key ON transcript (key) WHERE key IS NOT NULL;
`;

/** The attempts of an outgoing row that the platform refused or did not answer: only they count against its limit. */
const REFUSALS = `
ALTER TABLE outbox ADD COLUMN refusals INTEGER NOT NULL DEFAULT 0;
`;

/** A message is accepted once, even if the platform redelivers it under another event id: the key is a digest of its address and id. */
const MESSAGE_KEYS = `
ALTER TABLE inbox ADD COLUMN message_key TEXT;
CREATE UNIQUE INDEX inbox_by_message ON inbox (message_key) WHERE message_key IS NOT NULL;
`;

/** How often a turn was started in total, while `attempts` counts since its last committed entry. */
const TURN_STARTS = `
ALTER TABLE turns ADD COLUMN starts INTEGER NOT NULL DEFAULT 1;
UPDATE turns SET starts = attempts;
`;

/** Identifies the database: copies of it have the same id, a new or a restored one gets its own. */
const DATABASE_ID = `
ALTER TABLE ownership ADD COLUMN database_id TEXT;
`;

/** A conversation that is being imported belongs to no session yet; leftovers after a crash are removed. */
const IMPORTS = `
ALTER TABLE conversations ADD COLUMN is_import INTEGER NOT NULL DEFAULT 0;
CREATE INDEX conversations_importing ON conversations (is_import) WHERE is_import = 1;
`;

/** How often a turn was started as the only resumed one, and whether its last attempt was. */
const SOLO_STARTS = `
ALTER TABLE turns ADD COLUMN solo_starts INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turns ADD COLUMN is_solo INTEGER NOT NULL DEFAULT 0;
`;

/** Attempts to start the turn of an input; the first one is not stored. */
const INPUT_ATTEMPTS = `
ALTER TABLE inbox ADD COLUMN attempts INTEGER NOT NULL DEFAULT 1;
`;

/** Blocks of notes in agents' workspaces that tainted turns wrote: a few a day. The caller bounds the rows per file. */
const TAINTED_BLOCKS = `
CREATE TABLE tainted_blocks (
  agent_id TEXT NOT NULL,
  file TEXT NOT NULL,
  digest TEXT NOT NULL,
  PRIMARY KEY (agent_id, file, digest)
) STRICT, WITHOUT ROWID;
`;

/** State of accounts, and its size per account, so that the quota needs no sum over the rows. */
const ACCOUNT_STATE = `
CREATE TABLE account_state (
  id INTEGER PRIMARY KEY,
  channel TEXT NOT NULL,
  account TEXT NOT NULL,
  key TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  is_secret INTEGER NOT NULL,
  expires_at INTEGER,
  payload TEXT NOT NULL,
  sum INTEGER NOT NULL,
  UNIQUE (channel, account, key)
) STRICT;
CREATE INDEX account_state_by_expiry ON account_state (expires_at) WHERE expires_at IS NOT NULL;
CREATE TABLE account_usage (
  channel TEXT NOT NULL,
  account TEXT NOT NULL,
  bytes INTEGER NOT NULL,
  PRIMARY KEY (channel, account)
) STRICT, WITHOUT ROWID;
`;

/**
 * People who asked to be admitted, one row per sender and account. A code is unique while its request is pending. `was_approved` outlives a revocation, because
 * only the first approval of all makes its sender the owner.
 */
const PAIRINGS = `
-- No release has written a row of the first form.
DROP TABLE pairings;
CREATE TABLE pairings (
  id INTEGER PRIMARY KEY,
  channel TEXT NOT NULL,
  account TEXT NOT NULL,
  sender TEXT NOT NULL,
  code TEXT UNIQUE,
  state TEXT NOT NULL,
  was_approved INTEGER NOT NULL DEFAULT 0,
  requested_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  approved_at INTEGER,
  payload TEXT NOT NULL,
  sum INTEGER NOT NULL,
  UNIQUE (channel, account, sender)
) STRICT;
CREATE INDEX pairings_by_state ON pairings (state, channel, account);
CREATE INDEX pairings_by_expiry ON pairings (expires_at) WHERE was_approved = 0;
`;

/** Fills the lookups of sent messages where they are missing: in rows of an earlier version, and after a recovery. A damaged row gets none. */
export const INDEX_SENT_MESSAGES = `
INSERT OR IGNORE INTO sent_messages (outbound, message_id)
  SELECT outbox.id, named.value FROM outbox, json_each(CASE WHEN json_valid(outbox.result) THEN outbox.result ELSE '[]' END) AS named
  WHERE outbox.state = 'accepted' AND named.type = 'text';
UPDATE outbox SET edit_of = json_extract(payload, '$.outbound.of')
  WHERE CASE WHEN json_valid(payload) THEN json_extract(payload, '$.outbound.type') IN ('edit', 'edit-card') ELSE 0 END;
`;

/** Lookup of the outgoing row of a platform's message, and of the edits of a row, independent of the number of rows. */
const SENT_MESSAGES = `
CREATE TABLE sent_messages (
  outbound INTEGER NOT NULL REFERENCES outbox (id) ON DELETE CASCADE,
  message_id TEXT NOT NULL,
  PRIMARY KEY (outbound, message_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX sent_messages_by_id ON sent_messages (message_id);
ALTER TABLE outbox ADD COLUMN edit_of TEXT;
CREATE INDEX outbox_edits ON outbox (edit_of) WHERE edit_of IS NOT NULL;
${INDEX_SENT_MESSAGES}
`;

/** New addresses of conversations, one per old address; never pruned, since allowlists and waiting messages may name an old address at any time. */
const MOVES = `
CREATE TABLE moves (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  channel TEXT NOT NULL,
  account TEXT NOT NULL,
  from_id TEXT NOT NULL,
  to_id TEXT NOT NULL,
  is_continued INTEGER NOT NULL,
  at INTEGER NOT NULL,
  payload TEXT NOT NULL,
  sum INTEGER NOT NULL,
  UNIQUE (channel, account, from_id)
) STRICT;
CREATE INDEX moves_by_target ON moves (channel, account, to_id);
`;

/** Tool calls that need the owner's decision, one row per call of a turn. A row with a decision for later calls is found by its binding. */
const APPROVALS = `
-- No release has written a row of the first form.
DROP TABLE approvals;
CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  turn_id TEXT NOT NULL,
  call_id TEXT NOT NULL,
  session_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  binding TEXT NOT NULL,
  state TEXT NOT NULL,
  decision TEXT,
  requested_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_at INTEGER,
  payload TEXT NOT NULL,
  sum INTEGER NOT NULL,
  UNIQUE (turn_id, call_id)
) STRICT, WITHOUT ROWID;
CREATE INDEX approvals_by_binding ON approvals (binding) WHERE decision IS NOT NULL;
CREATE INDEX approvals_by_state ON approvals (state, requested_at);
`;

/** Background commands whose end has not been reported: after a crash their sessions are told. */
const BACKGROUND_COMMANDS = `
CREATE TABLE background_commands (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  payload TEXT NOT NULL,
  sum INTEGER NOT NULL
) STRICT;
`;

/** What files held before turns changed them; the contents are files of the gateway, named by digest. The gateway bounds the bytes, and so the rows. */
const CHECKPOINTS = `
CREATE TABLE checkpoints (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  session_key TEXT NOT NULL,
  session_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  path TEXT NOT NULL,
  digest TEXT,
  bytes INTEGER NOT NULL,
  is_refused INTEGER NOT NULL,
  payload TEXT NOT NULL,
  sum INTEGER NOT NULL,
  UNIQUE (turn_id, path)
) STRICT;
CREATE INDEX checkpoints_by_session ON checkpoints (session_key, n, turn_id, bytes);
CREATE INDEX checkpoints_by_conversation ON checkpoints (session_id);
CREATE INDEX checkpoints_by_digest ON checkpoints (digest) WHERE digest IS NOT NULL;
`;

/**
 * Scheduled jobs, and one row for each of their slots: the primary key is what makes a slot run once. Rows of a job beyond the newest are pruned with each
 * claim.
 */
const JOBS = `
-- No release has written a row of the first form.
DROP TABLE occurrences;
CREATE TABLE jobs (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  -- Set in a copy that takes the place of the database.
  ignored_before INTEGER,
  payload TEXT NOT NULL,
  sum INTEGER NOT NULL
) STRICT;
CREATE TABLE occurrences (
  job_id TEXT NOT NULL,
  slot INTEGER NOT NULL,
  state TEXT NOT NULL,
  payload TEXT NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (job_id, slot)
) STRICT, WITHOUT ROWID;
CREATE INDEX occurrences_open ON occurrences (slot) WHERE state IN ('claimed', 'running');
`;

/** Who wrote the entries of notes in agents' workspaces. Rows of a file beyond its limit go, those of entries that are no longer there first. */
const NOTE_ENTRIES = `
CREATE TABLE note_entries (
  agent_id TEXT NOT NULL,
  file TEXT NOT NULL,
  digest TEXT NOT NULL,
  origin TEXT NOT NULL,
  kind TEXT NOT NULL,
  session_key TEXT NOT NULL,
  session_id TEXT NOT NULL,
  turn_id TEXT NOT NULL,
  at INTEGER NOT NULL,
  PRIMARY KEY (agent_id, file, digest)
) STRICT, WITHOUT ROWID;
`;

/** Open exchanges between sessions: a restart continues them. */
const EXCHANGES = `
CREATE TABLE exchanges (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  payload TEXT NOT NULL,
  sum INTEGER NOT NULL
) STRICT;
`;

/** Old sub-agents are removed by the time at which their ends were reported. */
const TOLD_SPAWNS = `
CREATE INDEX spawns_by_announcement ON spawns (announced_at) WHERE announced_at IS NOT NULL;
`;

/** What trees of sub-agents with a budget have used. */
const TREE_SPEND = `
CREATE TABLE tree_spend (
  tree_id TEXT PRIMARY KEY,
  day TEXT NOT NULL,
  tokens INTEGER NOT NULL,
  cost_usd REAL NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX tree_spend_by_day ON tree_spend (day);
`;

/** Conversations whose messages go to another session than their own. */
const FOCUSES = `
CREATE TABLE focuses (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  payload TEXT NOT NULL,
  sum INTEGER NOT NULL
) STRICT;
`;

/** The branches of a transcript are found by index: a conversation without any costs its reads one look-up. */
const BRANCHES = `
CREATE INDEX transcript_branches ON transcript (conversation) WHERE type = 'branch';
`;

/** Pinned sessions are listed without the others. */
const PINNED_SESSIONS = `
ALTER TABLE sessions ADD COLUMN is_pinned INTEGER NOT NULL DEFAULT 0;
CREATE INDEX sessions_pinned ON sessions (updated_at) WHERE is_pinned = 1;
`;

/** Every step, oldest first. */
export const MIGRATIONS: readonly Migration[] = [
  { version: 1, sql: FIRST_SCHEMA },
  { version: 2, sql: REQUESTS },
  { version: 3, sql: REQUEST_BODIES },
  { version: 4, sql: REPLACED_OUTBOX },
  { version: 5, sql: DEAD_LETTERS },
  { version: 6, sql: NOTICE_KEYS },
  { version: 7, sql: REFUSALS },
  { version: 8, sql: MESSAGE_KEYS, fill: fillMessageKeys },
  { version: 9, sql: TURN_STARTS },
  { version: 10, sql: DATABASE_ID },
  { version: 11, sql: IMPORTS },
  { version: 12, sql: SOLO_STARTS },
  { version: 13, sql: INPUT_ATTEMPTS },
  { version: 14, sql: TAINTED_BLOCKS },
  { version: 15, sql: ACCOUNT_STATE },
  { version: 16, sql: PAIRINGS },
  { version: 17, sql: SENT_MESSAGES },
  { version: 18, sql: MOVES },
  { version: 19, sql: APPROVALS },
  { version: 20, sql: BACKGROUND_COMMANDS },
  { version: 21, sql: CHECKPOINTS },
  { version: 22, sql: JOBS },
  { version: 23, sql: NOTE_ENTRIES },
  { version: 24, sql: EXCHANGES },
  { version: 25, sql: TOLD_SPAWNS },
  { version: 26, sql: TREE_SPEND },
  { version: 27, sql: FOCUSES },
  { version: 28, sql: BRANCHES },
  { version: 29, sql: PINNED_SESSIONS },
];
