/**
 * The tables of version 1. Ids are integers here and texts outside. `sum` is the checksum of the row's payload and of the facts that it belongs to. Times are milliseconds since the
 * epoch. Rows that many others refer to (turns, conversations) have a short number `n`.
 */
export const FIRST_SCHEMA = `
CREATE TABLE ownership (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  epoch INTEGER NOT NULL,
  boot_id TEXT NOT NULL,
  opened_at INTEGER NOT NULL
) STRICT;

CREATE TABLE totals (
  id INTEGER PRIMARY KEY CHECK (id = 1),
  sessions INTEGER NOT NULL,
  usage TEXT NOT NULL
) STRICT;

-- One row per session id: what a transcript hangs on. The copy's position counts entries and bytes of the plain file.
CREATE TABLE conversations (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL UNIQUE,
  session_key TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  started_at INTEGER NOT NULL,
  last_entry INTEGER NOT NULL DEFAULT 0,
  compaction_entry INTEGER,
  kept_from INTEGER,
  copied_entry INTEGER NOT NULL DEFAULT 0,
  copied_bytes INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX conversations_by_key ON conversations (session_key);
CREATE INDEX conversations_behind ON conversations (n) WHERE copied_entry < last_entry;

CREATE TABLE sessions (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  key TEXT NOT NULL UNIQUE,
  folded_key TEXT NOT NULL,
  label TEXT,
  folded_label TEXT,
  agent_id TEXT NOT NULL,
  conversation INTEGER NOT NULL UNIQUE REFERENCES conversations (n),
  created_at INTEGER NOT NULL,
  interacted_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  expires_at INTEGER,
  is_private INTEGER NOT NULL,
  facts TEXT NOT NULL,
  sum INTEGER NOT NULL
) STRICT;
CREATE INDEX sessions_by_folded_key ON sessions (folded_key);
CREATE INDEX sessions_by_label ON sessions (folded_label) WHERE folded_label IS NOT NULL;
CREATE INDEX sessions_by_activity ON sessions (updated_at);
CREATE INDEX sessions_by_agent ON sessions (agent_id, updated_at);
CREATE INDEX sessions_by_expiry ON sessions (expires_at) WHERE expires_at IS NOT NULL;

-- The event key is a digest of channel, account, conversation and event id.
CREATE TABLE inbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  event_key TEXT NOT NULL UNIQUE,
  received_at INTEGER NOT NULL,
  state TEXT NOT NULL,
  reason TEXT,
  turn INTEGER,
  settled_at INTEGER,
  payload TEXT NOT NULL,
  sum INTEGER NOT NULL
) STRICT;
CREATE INDEX inbox_by_state ON inbox (state);

CREATE TABLE cursors (
  channel TEXT NOT NULL,
  account TEXT NOT NULL,
  cursor TEXT NOT NULL,
  PRIMARY KEY (channel, account)
) STRICT, WITHOUT ROWID;

CREATE TABLE turns (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  id TEXT NOT NULL UNIQUE,
  conversation INTEGER NOT NULL REFERENCES conversations (n),
  kind TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  inputs TEXT NOT NULL,
  outcome TEXT,
  payload TEXT NOT NULL,
  sum INTEGER NOT NULL
) STRICT;
CREATE INDEX turns_running ON turns (n) WHERE state = 'running';
CREATE INDEX turns_by_conversation ON turns (conversation);

CREATE TABLE tool_journal (
  turn INTEGER NOT NULL REFERENCES turns (n) ON DELETE CASCADE,
  call_id TEXT NOT NULL,
  name TEXT NOT NULL,
  state TEXT NOT NULL,
  PRIMARY KEY (turn, call_id)
) STRICT, WITHOUT ROWID;

-- A parent of 0 is none.
CREATE TABLE transcript (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation INTEGER NOT NULL REFERENCES conversations (n) ON DELETE CASCADE,
  parent INTEGER NOT NULL,
  turn INTEGER,
  type TEXT NOT NULL,
  at INTEGER NOT NULL,
  damaged INTEGER NOT NULL DEFAULT 0,
  payload TEXT NOT NULL,
  sum INTEGER NOT NULL
) STRICT;
CREATE INDEX transcript_by_conversation ON transcript (conversation);

-- Prompts share their texts: the stable half is the same for every session of an agent.
CREATE TABLE prompt_texts (
  hash TEXT PRIMARY KEY,
  body TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE prompts (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  conversation INTEGER NOT NULL REFERENCES conversations (n) ON DELETE CASCADE,
  stable TEXT NOT NULL REFERENCES prompt_texts (hash),
  session TEXT NOT NULL REFERENCES prompt_texts (hash),
  tools TEXT NOT NULL REFERENCES prompt_texts (hash),
  hash TEXT NOT NULL,
  cause TEXT NOT NULL,
  basis TEXT NOT NULL,
  rendered_at INTEGER NOT NULL
) STRICT;
CREATE INDEX prompts_by_conversation ON prompts (conversation);
CREATE INDEX prompts_by_stable ON prompts (stable);
CREATE INDEX prompts_by_session ON prompts (session);
CREATE INDEX prompts_by_tools ON prompts (tools);

CREATE TABLE outbox (
  id INTEGER PRIMARY KEY AUTOINCREMENT,
  idempotency_key TEXT NOT NULL UNIQUE,
  turn INTEGER,
  session_key TEXT NOT NULL,
  purpose TEXT NOT NULL,
  state TEXT NOT NULL,
  attempts INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  settled_at INTEGER,
  result TEXT,
  payload TEXT NOT NULL,
  sum INTEGER NOT NULL
) STRICT;
CREATE INDEX outbox_pending ON outbox (id, state) WHERE state IN ('waiting', 'sending');
CREATE INDEX outbox_settled ON outbox (settled_at) WHERE state IN ('accepted', 'suppressed');
CREATE INDEX outbox_given_up ON outbox (state) WHERE state IN ('dead', 'ambiguous');

-- Plain files of deleted sessions: to be renamed, then to be removed by maintenance.
CREATE TABLE deleted_copies (
  n INTEGER PRIMARY KEY AUTOINCREMENT,
  session_id TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  deleted_at INTEGER NOT NULL,
  renamed INTEGER NOT NULL DEFAULT 0
) STRICT;
CREATE INDEX deleted_copies_to_rename ON deleted_copies (n) WHERE renamed = 0;
CREATE INDEX deleted_copies_by_time ON deleted_copies (deleted_at);

CREATE TABLE occurrences (
  job_id TEXT NOT NULL,
  scheduled_for INTEGER NOT NULL,
  state TEXT NOT NULL,
  epoch INTEGER NOT NULL,
  turn INTEGER,
  started_at INTEGER,
  ended_at INTEGER,
  reason TEXT,
  PRIMARY KEY (job_id, scheduled_for)
) STRICT, WITHOUT ROWID;

CREATE TABLE pairings (
  channel TEXT NOT NULL,
  account TEXT NOT NULL,
  sender TEXT NOT NULL,
  state TEXT NOT NULL,
  code_hash TEXT UNIQUE,
  requested_at INTEGER NOT NULL,
  expires_at INTEGER,
  decided_at INTEGER,
  PRIMARY KEY (channel, account, sender)
) STRICT, WITHOUT ROWID;

CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  turn INTEGER NOT NULL,
  call_id TEXT NOT NULL,
  binding TEXT NOT NULL,
  state TEXT NOT NULL,
  requested_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  decided_at INTEGER,
  payload TEXT NOT NULL,
  sum INTEGER NOT NULL,
  UNIQUE (turn, call_id)
) STRICT, WITHOUT ROWID;

CREATE TABLE spend (
  day TEXT NOT NULL,
  agent_id TEXT NOT NULL,
  cause TEXT NOT NULL,
  calls INTEGER NOT NULL,
  tokens INTEGER NOT NULL,
  cost_usd REAL,
  PRIMARY KEY (day, agent_id, cause)
) STRICT, WITHOUT ROWID;

CREATE TABLE spawns (
  run_id TEXT PRIMARY KEY,
  parent_key TEXT NOT NULL,
  child_key TEXT NOT NULL UNIQUE,
  state TEXT NOT NULL,
  depth INTEGER NOT NULL,
  deadline_at INTEGER NOT NULL,
  announced_at INTEGER,
  payload TEXT NOT NULL,
  sum INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
CREATE INDEX spawns_by_parent ON spawns (parent_key);

INSERT INTO totals (id, sessions, usage)
VALUES (1, 0, '{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0,"calls":0,"lastInput":0,"lastCacheRead":0,"lastCacheWrite":0}');
`;
