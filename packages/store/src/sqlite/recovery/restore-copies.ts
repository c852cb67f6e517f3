import { copyFile, mkdir, stat } from "node:fs/promises";
import { basename, join } from "node:path";
import { withoutUndefined } from "@factotum/agent-contract";
import type { Clock } from "@factotum/agent-contract";
import type { CopyOptions } from "../../copies/session-copier.ts";
import { parseBody, parseRecord } from "../../session-file/parse-record.ts";
import { readLines } from "../../session-file/read-lines.ts";
import { nonEmpty, timeOf } from "../../session-file/unknown-value.ts";
import type { Database } from "../connection/database.ts";
import { createTables } from "../tables/tables.ts";
import type { Tables } from "../tables/tables.ts";
import type { Conversation } from "../tables/conversation-table.ts";
import { numberOf } from "../values/row.ts";
import { decodeId } from "../values/sequence-id.ts";
import { EntryRestorer } from "./entry-restorer.ts";
import { listCopies, readCopy } from "./session-copies.ts";
import type { DeletedSessionCopy, SessionCopy } from "./session-copies.ts";
import { titleIn } from "./title-in.ts";

/** What was restored from the plain files. */
export interface RestoredCopies {
  /** Entries that were missing in the database. */
  readonly entries: number;
  /** The number of their conversations. */
  readonly conversations: number;
  /** Keys of sessions whose row is lost, and with it their settings and last address. */
  readonly rebuiltKeys: readonly string[];
  /** Copies of files that were partly unreadable: the original is rewritten from the database. */
  readonly setAside: readonly string[];
}

/** The same, with the conversations to which entries were added. */
interface FilledCopies extends RestoredCopies {
  readonly filled: readonly number[];
}

/** Options of restoring. */
export interface RestoreOptions {
  readonly copies: CopyOptions;
  readonly clock: Clock;
  /** Where files are set aside. */
  readonly asideFolder: string;
  /** Entries may be missing anywhere in a conversation, not only at its end. */
  readonly hasGaps: boolean;
}

/**
 * Adds to a restored database what only the plain files know: entries written after its snapshot, whole conversations, and deletions. Entries keep their ids if
 * these are free. Runs inside the open transaction.
 */
export async function restoreCopies(database: Database, options: RestoreOptions): Promise<FilledCopies> {
  const unused = (): void => undefined;
  const tables = createTables({ database, clock: options.clock, quarantine: unused, appended: unused });
  const { current, deleted } = await listCopies(options.copies);
  const present = new Set(current.map(({ sessionId }) => sessionId));
  for (const copy of deleted) if (!present.has(copy.sessionId)) forget(tables, copy);
  const rebuilt = new Set<string>(options.hasGaps ? reopenSessions(database, tables) : []);
  const setAside: string[] = [];
  const filled: number[] = [];
  let entries = 0;
  for (const copy of current) {
    const known = tables.conversations.find(copy.sessionId);
    if (known !== undefined && !(await mayHold(copy, known, database, options))) continue;
    const conversation = known ?? begin(tables, copy, rebuilt);
    const result = await restore(copy, conversation, database, options.hasGaps);
    if (result.entries > 0) filled.push(conversation.n);
    entries += result.entries;
    if (rebuilt.has(keyOf(copy))) {
      keepImportMark(tables, copy);
      giveName(tables, keyOf(copy), result);
      touch(database, conversation, result.lastAtMs);
    }
    if (result.isWhole) continue;
    setAside.push(await keepAside(copy, options.asideFolder));
  }
  return { entries, conversations: filled.length, rebuiltKeys: [...rebuilt], setAside, filled };
}

/** If a session's row is lost but its conversations exist, the session continues with the last of them. Returns the keys of such sessions. */
function reopenSessions(database: Database, { conversations, sessions }: Tables): readonly string[] {
  const rows = database.all(
    `SELECT max(n) AS n FROM conversations WHERE is_import = 0 AND session_key NOT IN (SELECT key FROM sessions) GROUP BY session_key`,
  );
  return rows.map((row) => {
    const conversation = conversations.read(numberOf(row, "n"));
    const { sessionKey: key, sessionId, agentId, startedAtMs } = conversation;
    sessions.reopen(conversation, { key, sessionId, agentId, isPrivate: false, displayName: key }, startedAtMs);
    return key;
  });
}

/** A file that is no longer than the database says holds nothing new. */
async function mayHold({ path }: SessionCopy, { n }: Conversation, database: Database, { hasGaps }: RestoreOptions): Promise<boolean> {
  return hasGaps || (await stat(path)).size > copiedBytes(database, n);
}

function copiedBytes(database: Database, conversation: number): number {
  const row = database.get("SELECT copied_bytes FROM conversations WHERE n = ?", conversation);
  return row === undefined ? 0 : numberOf(row, "copied_bytes");
}

/**
 * Files come in the order in which their conversations began: each one of a key follows the previous one like after a reset, and the last one is current. Its
 * senders are unknown, so it is not private.
 */
function begin({ conversations, sessions }: Tables, copy: SessionCopy, rebuilt: Set<string>): Conversation {
  const { agentId, sessionId, startedAtMs } = copy;
  const key = keyOf(copy);
  const session = sessions.read(key);
  if (session === undefined) sessions.open({ key, sessionId, agentId, isPrivate: false, displayName: key }, startedAtMs);
  else if (session.startedAtMs <= startedAtMs) sessions.reset(key, { sessionId, isPrivate: false, nowMs: startedAtMs });
  else sessions.begin({ key, sessionId, agentId }, startedAtMs);
  rebuilt.add(key);
  const conversation = conversations.find(sessionId);
  if (conversation === undefined) throw new Error(`The conversation ${sessionId} was not made.`);
  return conversation;
}

/** Imported text is still not known to be the owner's (R23). */
function keepImportMark({ sessions }: Tables, copy: SessionCopy): void {
  const key = keyOf(copy);
  if (copy.importedAtMs !== undefined && sessions.read(key)?.sessionId === copy.sessionId) sessions.markImported(key, copy.importedAtMs);
}

/** A rebuilt session is titled by its first message instead of its key. */
function giveName({ sessions }: Tables, key: string, { title, lastAtMs }: RestoredFile): void {
  if (title !== undefined && sessions.read(key)?.displayName === key) sessions.patch(key, { displayName: title }, lastAtMs);
}

function keyOf({ sessionKey, agentId, sessionId }: SessionCopy): string {
  return sessionKey ?? `agent:${agentId}:import:${sessionId}`;
}

interface RestoredFile {
  readonly entries: number;
  /** The title of a session that begins with this conversation; absent if it has no message of a person. */
  readonly title?: string;
  readonly lastAtMs: number;
  /** False if a line could not be read. */
  readonly isWhole: boolean;
}

async function restore(copy: SessionCopy, conversation: Conversation, database: Database, hasGaps: boolean): Promise<RestoredFile> {
  const start = hasGaps ? 0 : copiedBytes(database, conversation.n);
  // The database already has everything before `start`.
  const restorer = new EntryRestorer(database, conversation, start === 0 ? 0 : conversation.lastEntry);
  let [lastAtMs, isWhole] = [copy.startedAtMs, true];
  let title: string | undefined;
  for await (const line of readLines(readCopy(copy.path, start))) {
    if (line.text?.trim() === "") continue;
    const record = parseRecord(line);
    if (record?.["type"] === "session") continue;
    const atMs = timeOf(record?.["timestamp"]) ?? lastAtMs;
    const body = record === undefined ? undefined : parseBody(record, atMs);
    const id = decodeId("e", nonEmpty(record?.["id"]) ?? "");
    if (body === undefined || id === undefined) {
      isWhole = false;
      continue;
    }
    restorer.add(id, body, atMs);
    title ??= titleIn(body, keyOf(copy));
    lastAtMs = atMs;
  }
  restorer.finish();
  return { entries: restorer.added, lastAtMs, isWhole, ...withoutUndefined({ title }) };
}

/** The session that continues with this conversation was last used at its last entry. */
function touch(database: Database, { n }: Conversation, atMs: number): void {
  database.run("UPDATE sessions SET interacted_at = ?, updated_at = ? WHERE conversation = ?", atMs, atMs, n);
}

/** Sessions that the owner deleted since the snapshot stay deleted, and their files expire as usual. */
function forget({ conversations, database, transcripts }: Tables, { agentId, sessionId, deletedAtMs }: DeletedSessionCopy): void {
  const conversation = conversations.find(sessionId);
  if (conversation !== undefined) {
    database.run("DELETE FROM sessions WHERE conversation = ?", conversation.n);
    transcripts.remove(conversation);
  }
  database.run(
    `INSERT INTO deleted_copies (session_id, agent_id, deleted_at, renamed) SELECT ?, ?, ?, 1
     WHERE NOT EXISTS (SELECT 1 FROM deleted_copies WHERE session_id = ?)`,
    sessionId,
    agentId,
    deletedAtMs,
    sessionId,
  );
}

async function keepAside({ agentId, path }: SessionCopy, asideFolder: string): Promise<string> {
  const folder = join(asideFolder, "sessions", agentId);
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const copy = join(folder, basename(path));
  await copyFile(path, copy);
  return copy;
}
