import type { DatabaseSync } from "node:sqlite";
import { COUNT_ACCOUNT_STATE } from "../tables/account-table.ts";

/** What a statement of forgetting may name. */
interface ForgetValues {
  /** When it was decided. */
  readonly atMs: number;
  /** Digests of files that held something of it, as a JSON array. */
  readonly copies: string;
}

/** What forgetting does to one table. */
export interface ForgottenTable {
  readonly table: string;
  /** What becomes of its rows, or why they stay. */
  readonly does: string;
  /** What the rows are called in a report; absent if they are not counted. */
  readonly kind?: string;
  /** Statements, in order. The changed rows of the first are counted. */
  readonly statements?: readonly string[];
}

const TURNS = "SELECT n FROM forgotten_turns";
const TURN_IDS = "SELECT id FROM forgotten_turns";
const KEYS = "SELECT key FROM forgotten_keys";
const CONVERSATIONS = "SELECT n FROM forgotten_conversations";
const WHOLE = "SELECT n FROM forgotten_conversations WHERE is_whole = 1";
const PARTS = "SELECT n FROM forgotten_conversations WHERE is_whole = 0";

/** Rewrites the quotes in a column with a checksum over `facts`. A row whose checksum is wrong stays as it is: damaged. */
function redact(table: string, column: string, sum: string, facts: string): string {
  return `UPDATE ${table} SET ${column} = redacted(${column}), ${sum} = sum_of(redacted(${column}), ${facts})
    WHERE has_quote(${column}) AND ${sum} = sum_of(${column}, ${facts})`;
}

const ENTRY_FACTS = "conversation, parent, turn, type, at";
const PROMPT_TEXTS =
  "stable IN (SELECT hash FROM lost_texts) OR session IN (SELECT hash FROM lost_texts) OR outline IN (SELECT hash FROM lost_texts)";

/**
 * Every table of the store, in the order in which forgetting visits them. A test fails if a table has no row here. Rows that stay hold nothing that was said, or
 * are emptied of it.
 */
export const FORGOTTEN_TABLES: readonly ForgottenTable[] = [
  {
    table: "requests",
    kind: "model requests",
    does: "Those of every conversation that loses something go: they could not be replayed.",
    statements: [`DELETE FROM requests WHERE conversation IN (${CONVERSATIONS}) OR is_text(body) OR has_quote(body)`],
  },
  {
    table: "request_profiles",
    does: "Models and settings; those that no request names go.",
    statements: ["DELETE FROM request_profiles WHERE n NOT IN (SELECT profile FROM requests)"],
  },
  {
    table: "checkpoints",
    kind: "files kept for /undo",
    does: "Those of forgotten turns, and those whose contents held something of it, go; so do the contents.",
    statements: [
      `DELETE FROM checkpoints WHERE turn_id IN (${TURN_IDS}) OR session_id IN (SELECT session_id FROM conversations WHERE n IN (${WHOLE}))
       OR digest IN (SELECT value FROM json_each(:copies))`,
    ],
  },
  {
    table: "approvals",
    kind: "decisions on tool calls",
    does: "Those of forgotten turns go, with what they would have allowed later.",
    statements: [
      `DELETE FROM approvals WHERE requested_at <= :atMs AND (turn_id IN (${TURN_IDS}) OR is_time(requested_at) OR is_text(payload) OR has_quote(payload)
       OR session_id IN (SELECT session_id FROM conversations WHERE n IN (${WHOLE})))`,
    ],
  },
  {
    table: "background_commands",
    kind: "background commands",
    does: "Those of forgotten sessions go: their end is not reported.",
    statements: [
      `DELETE FROM background_commands WHERE is_text(payload) OR has_quote(payload)
       OR (json_valid(payload) AND (payload ->> '$.sessionKey' IN (${KEYS}) OR is_time(payload ->> '$.startedAtMs')))`,
    ],
  },
  {
    table: "exchanges",
    kind: "exchanges between sessions",
    does: "Those of forgotten sessions go: they end where they are.",
    statements: [
      `DELETE FROM exchanges WHERE is_text(payload) OR has_quote(payload)
       OR (json_valid(payload) AND (payload ->> '$.requester.sessionKey' IN (${KEYS}) OR payload ->> '$.target.sessionKey' IN (${KEYS})
       OR is_time(payload ->> '$.startedAtMs')))`,
    ],
  },
  {
    table: "focuses",
    does: "Those on forgotten sessions go: their conversations have their own sessions again.",
    statements: [
      `DELETE FROM focuses WHERE is_text(payload) OR has_quote(payload) OR (json_valid(payload) AND payload ->> '$.sessionKey' IN (${KEYS}))`,
    ],
  },
  {
    table: "spawns",
    does: "Those between forgotten sessions go.",
    statements: [`DELETE FROM spawns WHERE parent_key IN (${KEYS}) OR child_key IN (${KEYS}) OR is_text(payload) OR has_quote(payload)`],
  },
  {
    table: "occurrences",
    kind: "runs of jobs",
    does: "Those of forgotten jobs, of the time and with the text go; quotes in others are replaced.",
    statements: [
      `DELETE FROM occurrences WHERE job_id IN (SELECT id FROM forgotten_jobs) OR (slot <= :atMs AND (is_time(slot) OR is_text(payload)))
       OR (json_valid(payload) AND payload ->> '$.sessionKey' IN (${KEYS}))`,
      redact("occurrences", "payload", "sum", "job_id, slot"),
    ],
  },
  {
    table: "jobs",
    kind: "jobs",
    does: "Those that were made in what is forgotten, and those with the text, go; quotes in others are replaced.",
    statements: ["DELETE FROM jobs WHERE id IN (SELECT id FROM forgotten_jobs)", redact("jobs", "payload", "sum", "id")],
  },
  {
    table: "outbox",
    kind: "sent or waiting messages",
    does: "Answers of forgotten turns, and what was sent in their sessions, go, dead letters included; quotes in others are replaced.",
    statements: [
      `DELETE FROM outbox WHERE created_at <= :atMs AND (turn IN (${TURNS}) OR session_key IN (${KEYS}) OR is_time(created_at) OR is_text(payload)
       OR is_text(coalesce(result, '')) OR CASE WHEN json_valid(payload) THEN EXISTS (SELECT 1 FROM json_each(payload, '$.inputIds'), forgotten_inputs
         WHERE json_each.value = input_id(forgotten_inputs.id)) END)`,
      redact("outbox", "payload", "sum", "idempotency_key, session_key, purpose"),
    ],
  },
  {
    table: "note_entries",
    does: "Who wrote the entries of notes: those that forgotten sessions wrote go. The entries themselves are in files.",
    statements: [`DELETE FROM note_entries WHERE session_key IN (${KEYS}) OR is_time(at)`],
  },
  { table: "sent_messages", does: "Ids of sent messages, which go with their rows of the outbox." },
  {
    table: "inbox",
    kind: "received messages",
    does: "Emptied, dead letters included; the keys stay until they are pruned, so that the platform cannot deliver the message again.",
    statements: [
      `UPDATE inbox SET payload = without_words(payload), sum = sum_of(without_words(payload), event_key, received_at), turn = NULL, attempts = 1,
       state = CASE WHEN state IN ('waiting', 'claimed', 'dead') THEN 'ignored' ELSE state END, reason = 'forgotten', settled_at = coalesce(settled_at, :atMs)
       WHERE id IN (SELECT id FROM forgotten_inputs)`,
      redact("inbox", "payload", "sum", "event_key, received_at"),
    ],
  },
  {
    table: "transcript",
    kind: "entries of conversations",
    does: "Forgotten ones go, and the others follow each other without them, also in branches; quotes in others are replaced.",
    statements: [
      "DELETE FROM transcript WHERE id IN (SELECT id FROM forgotten_entries)",
      redact("transcript", "payload", "sum", ENTRY_FACTS),
      `UPDATE transcript SET payload = without_entries(payload), sum = sum_of(without_entries(payload), ${ENTRY_FACTS})
       WHERE type = 'replacement' AND conversation IN (${PARTS}) AND sum = sum_of(payload, ${ENTRY_FACTS})`,
      `UPDATE transcript SET parent = linked.before, sum = sum_of(payload, transcript.conversation, linked.before, turn, type, at)
       FROM (SELECT id, coalesce(lag(id) OVER (PARTITION BY conversation ORDER BY id), 0) AS before FROM transcript WHERE conversation IN (${PARTS})) AS linked
       WHERE linked.id = transcript.id AND transcript.parent <> linked.before AND sum = sum_of(payload, ${ENTRY_FACTS})`,
    ],
  },
  {
    table: "prompts",
    does: "Those of forgotten conversations go; those that quote it are emptied, and those of conversations that lose a part are rendered again (`forgotten`).",
    statements: [
      `DELETE FROM prompts WHERE conversation IN (${WHOLE})`,
      "CREATE TEMP TABLE lost_texts AS SELECT hash FROM prompt_texts WHERE is_text(body) OR has_quote(body)",
      "INSERT OR IGNORE INTO prompt_texts (hash, body) VALUES (hash_of(json_quote('')), json_quote(''))",
      `UPDATE prompts SET stable = hash_of(json_quote('')), session = hash_of(json_quote('')), outline = NULL, basis = json_set(basis, '$.forgotten', json('true'))
       WHERE json_valid(basis) AND (${PROMPT_TEXTS} OR (is_time(rendered_at) AND rendered_at <= :atMs))`,
      `UPDATE prompts SET basis = json_set(basis, '$.forgotten', json('true')) WHERE json_valid(basis) AND conversation IN (${PARTS})`,
      `DELETE FROM prompts WHERE ${PROMPT_TEXTS}`,
    ],
  },
  {
    table: "prompt_texts",
    does: "Texts that no prompt uses go.",
    statements: [
      `DELETE FROM prompt_texts WHERE hash NOT IN (SELECT stable FROM prompts UNION SELECT session FROM prompts UNION SELECT tools FROM prompts
       UNION SELECT outline FROM prompts WHERE outline IS NOT NULL)`,
    ],
  },
  { table: "tool_journal", does: "Names of the calls of turns, which go with their turns." },
  {
    table: "turns",
    kind: "turns",
    does: "Forgotten ones go, also those that a restart would resume.",
    statements: [`DELETE FROM turns WHERE n IN (${TURNS}) OR conversation IN (${WHOLE})`],
  },
  {
    table: "sessions",
    kind: "sessions",
    does: "A session of which nothing remains goes; others lose a name that quotes it, and the heartbeat that they remember.",
    statements: [
      `DELETE FROM sessions WHERE conversation IN (${WHOLE})`,
      "UPDATE totals SET sessions = (SELECT count(*) FROM sessions)",
      `UPDATE sessions SET facts = facts_without(facts, key, key IN (SELECT key FROM forgotten_names)), sum = sum_of(facts_without(facts, key, key IN (SELECT key FROM forgotten_names)), key, agent_id, is_private)
       WHERE (is_text(facts) OR has_quote(facts) OR is_time(facts ->> '$.lastHeartbeat.sentAtMs') OR key IN (SELECT key FROM forgotten_names)) AND sum = sum_of(facts, key, agent_id, is_private)`,
      "UPDATE sessions SET label = NULL, folded_label = NULL WHERE is_text(json_quote(label)) OR has_quote(json_quote(label))",
    ],
  },
  {
    table: "conversations",
    kind: "conversations",
    does: "One of which nothing remains goes; of others the plain file is written again.",
    statements: [
      `DELETE FROM conversations WHERE n IN (${WHOLE})`,
      `UPDATE conversations SET copied_entry = 0, copied_bytes = 0, last_entry = (SELECT coalesce(max(id), 0) FROM transcript WHERE conversation = conversations.n),
       compaction_entry = (SELECT max(id) FROM transcript WHERE conversation = conversations.n AND type = 'compaction') WHERE n IN (${PARTS})`,
      `UPDATE conversations SET kept_from = (SELECT entry_number(payload ->> '$.firstKeptEntryId') FROM transcript WHERE id = compaction_entry)
       WHERE n IN (${PARTS})`,
    ],
  },
  {
    table: "deleted_copies",
    does: "The plain files of deleted sessions are searched; the rows of those that are gone are removed by maintenance.",
  },
  { table: "totals", does: "Counts only." },
  { table: "spend", does: "Numbers only." },
  { table: "tree_spend", does: "Numbers only, and ids of turns." },
  { table: "ownership", does: "The id of the database, and which process uses it." },
  { table: "cursors", does: "Positions in the platforms' streams: without them messages would be delivered again." },
  {
    table: "account_state",
    kind: "notes of channels",
    does: "Temporary rows with the text, or of a chat that loses something: subjects of threads, options of polls. Logins and positions stay.",
    statements: [
      `DELETE FROM account_state WHERE is_secret = 0 AND expires_at IS NOT NULL AND (is_text(payload) OR has_quote(payload)
       OR EXISTS (SELECT 1 FROM forgotten_chats WHERE instr(payload, json_quote(id)) > 0 OR instr('/' || key || '/', '/' || id || '/') > 0))`,
    ],
  },
  {
    table: "account_usage",
    does: "Numbers only, counted again.",
    statements: COUNT_ACCOUNT_STATE.split(";").filter((sql) => sql.trim() !== ""),
  },
  { table: "pairings", does: "Who may write, with their names: who is to lose access is revoked." },
  { table: "moves", does: "Addresses of conversations that have got another id." },
  { table: "tainted_blocks", does: "Digests only: they mark text of others that may return." },
];

/** Runs the statements of every table; yields the number of rows by kind. */
export function forgetInTables(connection: DatabaseSync, values: ForgetValues): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const { kind, statements = [] } of FORGOTTEN_TABLES) {
    for (const [index, sql] of statements.entries()) {
      const named = Object.fromEntries(Object.entries(values).filter(([name]) => new RegExp(`:${name}\\b`).test(sql)));
      const { changes } = connection.prepare(sql).run(named);
      if (kind !== undefined && index === 0) counts.set(kind, Number(changes));
    }
  }
  return counts;
}
