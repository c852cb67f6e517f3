import { NO_USAGE_TOTALS, withoutUndefined } from "@factotum/agent-contract";
import { LRUCache } from "lru-cache";
import type { SessionOverrides, SessionRecord } from "../../port/session-records.ts";
import { StoreError } from "../../port/store-error.ts";
import type { ImportedSession, NewSession, SessionPatch } from "../../port/session-store.ts";
import type { Page } from "../../port/page.ts";
import type { SessionTouch, TurnEnd } from "../../port/turn-store.ts";
import type { Store } from "../../port/store.ts";
import { addTotals } from "../values/add-totals.ts";
import { checkKey, checkSessionId } from "../values/check-key.ts";
import { toPage } from "../values/page.ts";
import { numberOf, textOf } from "../values/row.ts";
import type { Row } from "../values/row.ts";
import { decodePosition, encodeId } from "../values/sequence-id.ts";
import { encodeFacts, toSession, withDefaults } from "./session-row.ts";
import type { TableContext } from "./table-context.ts";
import type { Conversation, ConversationTable } from "./conversation-table.ts";

const COLUMNS = `sessions.*, conversations.session_id, conversations.started_at
  FROM sessions JOIN conversations ON conversations.n = sessions.conversation`;

/** Sessions scanned for one filtered page. */
const WANTED_SCAN = 200;

/** Cached session records, of active sessions: a turn reads its session five times. */
const MAX_KEPT = 256;

/** Sessions by key. */
export class SessionTable {
  readonly #context: TableContext;
  readonly #conversations: ConversationTable;
  /** The committed records. */
  readonly #kept = new LRUCache<string, SessionRecord>({ max: MAX_KEPT });
  /** Changes of the open transaction; `undefined` for a record that must be read. */
  readonly #changed = new Map<string, SessionRecord | undefined>();

  constructor(context: TableContext, conversations: ConversationTable) {
    this.#context = context;
    this.#conversations = conversations;
  }

  read(key: string): SessionRecord | undefined {
    const known = this.#changed.has(key) ? this.#changed.get(key) : this.#kept.get(key);
    if (known !== undefined) return known;
    const row = this.#context.database.get(`SELECT ${COLUMNS} WHERE sessions.key = ?`, key);
    if (row === undefined) return undefined;
    const session = toSession(row);
    if (session === undefined) return this.#decode(row);
    if (!this.#context.database.inTransaction) this.#kept.set(key, session);
    return session;
  }

  /** The transaction was committed. */
  committed(): void {
    for (const [key, session] of this.#changed) {
      if (session === undefined) this.#kept.delete(key);
      else this.#kept.set(key, session);
    }
    this.#changed.clear();
  }

  /** The transaction was rolled back, at least in part. */
  rolledBack(): void {
    for (const key of this.#changed.keys()) this.#kept.delete(key);
    this.#changed.clear();
  }

  /** Like `read`, but throws if the session does not exist. */
  require(key: string): SessionRecord {
    const session = this.read(key);
    if (session === undefined) throw new StoreError("not-found", `There is no session ${key}.`);
    return session;
  }

  find(query: { readonly key?: string; readonly label?: string; readonly agentId?: string }): SessionRecord | undefined {
    if (query.key !== undefined) return this.read(query.key) ?? this.#findFolded(query.key, query.agentId);
    return query.label === undefined ? undefined : this.#findLabel(query.label, query.agentId);
  }

  list(filter: Parameters<Store["listSessions"]>[0]): Page<SessionRecord> {
    const isWanted = filter.isWanted ?? (() => true);
    const scanned = filter.isWanted === undefined ? filter.limit : WANTED_SCAN;
    const [updatedAt, n] = filter.cursor === undefined ? [Number.MAX_SAFE_INTEGER, 0] : parseCursor(filter.cursor);
    const order = "ORDER BY sessions.updated_at DESC, sessions.n DESC LIMIT ?";
    const before = "(sessions.updated_at, sessions.n) < (?, ?) AND sessions.updated_at >= ?";
    const since = filter.activeSinceMs ?? 0;
    const where = `${filter.pinned === true ? "sessions.is_pinned = 1 AND " : ""}${before}`;
    const rows =
      filter.agentId === undefined
        ? this.#context.database.all(`SELECT ${COLUMNS} WHERE ${where} ${order}`, updatedAt, n, since, scanned + 1)
        : this.#context.database.all(
            `SELECT ${COLUMNS} WHERE sessions.agent_id = ? AND ${where} ${order}`,
            filter.agentId,
            updatedAt,
            n,
            since,
            scanned + 1,
          );
    return toPage(rows, {
      limit: filter.limit,
      scanned,
      isWanted: (row) => isWanted(textOf(row, "key")),
      cursorOf,
      decode: (row) => this.#decode(row),
    });
  }

  /** The longest idle first. */
  listIdle(filter: Parameters<Store["listIdleSessions"]>[0]): Page<SessionRecord> {
    const [updatedAt, n] = filter.cursor === undefined ? [-1, 0] : parseCursor(filter.cursor);
    const rows = this.#context.database.all(
      `SELECT ${COLUMNS} WHERE (sessions.updated_at, sessions.n) > (?, ?) AND sessions.updated_at <= ?
       ORDER BY sessions.updated_at, sessions.n LIMIT ?`,
      updatedAt,
      n,
      filter.notAfterMs,
      filter.limit + 1,
    );
    return toPage(rows, { limit: filter.limit, cursorOf, decode: (row) => this.#decode(row) });
  }

  listExpired(nowMs: number, limit: number): readonly SessionRecord[] {
    return this.#context.database
      .all(`SELECT ${COLUMNS} WHERE sessions.expires_at <= ? ORDER BY sessions.expires_at LIMIT ?`, nowMs, limit)
      .map((row) => this.#decode(row));
  }

  /** The session under the key; created if it does not exist. */
  open(session: NewSession, nowMs: number): SessionRecord {
    const existing = this.read(session.key);
    if (existing !== undefined) return existing;
    return this.reopen(this.begin(session, nowMs), session, nowMs);
  }

  /** Creates a session row for a conversation that has lost it; the key must be free. */
  reopen(conversation: Conversation, { workspace, ...session }: NewSession, nowMs: number): SessionRecord {
    return this.#insert(conversation, {
      ...session,
      createdAtMs: nowMs,
      startedAtMs: nowMs,
      interactedAtMs: nowMs,
      updatedAtMs: nowMs,
      overrides: withoutUndefined({ workspace }),
      usage: NO_USAGE_TOTALS,
      compactionCount: 0,
    });
  }

  /** Begins the conversation of a session. */
  begin(session: Pick<NewSession, "key" | "sessionId" | "agentId">, startedAtMs: number): Conversation {
    checkKey("The session key", session.key);
    checkKey("The agent id", session.agentId);
    checkSessionId(session.sessionId);
    return this.#conversations.begin(session, startedAtMs);
  }

  /** Stores the record of an imported session, whose conversation holds its entries already; its names must be free. */
  insertImported(n: number, session: ImportedSession): SessionRecord {
    checkKey("The session key", session.key);
    checkKey("The agent id", session.agentId);
    checkSessionId(session.sessionId);
    if (this.read(session.key) !== undefined) throw new StoreError("conflict", `The session ${session.key} exists already.`);
    const { entries: _entries, ...record } = session;
    return this.#insert(this.#conversations.adopt(n, session, session.startedAtMs), record);
  }

  /** Applies the changes of a turn's start. */
  touch(session: SessionRecord, touch: SessionTouch, nowMs: number): SessionRecord {
    const { archived: _archived, ...shown } = session.overrides;
    return this.#save({
      ...session,
      ...(touch.interactedAtMs === undefined ? {} : { overrides: shown }),
      updatedAtMs: nowMs,
      ...withoutUndefined({ interactedAtMs: touch.interactedAtMs, lastOrigin: touch.lastOrigin }),
      ...(touch.endsPrivacy === true ? { isPrivate: false } : {}),
      ...withoutUndefined({ memoryFlushAtMs: touch.memoryFlushAtMs, displayName: touch.displayName }),
    });
  }

  /** Adds a run's usage and the other changes of its end. */
  charge(
    session: SessionRecord,
    end: Pick<TurnEnd, "usage" | "endedAtMs" | "interactedAtMs" | "forgetsMemoryFlush" | "heartbeat">,
  ): SessionRecord {
    const { usage, endedAtMs, interactedAtMs = session.interactedAtMs } = end;
    const { memoryFlushAtMs: _flush, ...others } = session;
    const kept = end.forgetsMemoryFlush === true ? others : session;
    const lastHeartbeat = end.heartbeat ?? session.lastHeartbeat;
    return this.#save({
      ...kept,
      ...withoutUndefined({ lastHeartbeat }),
      usage: addTotals(session.usage, usage),
      interactedAtMs,
      updatedAtMs: endedAtMs,
    });
  }

  countCompactions(key: string, count: number): void {
    const session = this.require(key);
    this.#save({ ...session, compactionCount: session.compactionCount + count });
  }

  /** A person's name for a session, and its place in lists, are no activity: a patch of these alone keeps the time. */
  patch(key: string, patch: SessionPatch, nowMs: number): SessionRecord {
    const { label: oldLabel, trust: oldTrust, ...session } = this.require(key);
    const label = patch.label === undefined ? oldLabel : patch.label;
    const trust = patch.trust === undefined ? oldTrust : patch.trust;
    const overrides = new Map(Object.entries(session.overrides));
    for (const [name, value] of Object.entries(patch.overrides ?? {})) {
      if (value === null) overrides.delete(name);
      else if (value !== undefined) overrides.set(name, value);
    }
    return this.#save({
      ...session,
      ...(label === undefined || label === null ? {} : { label: checkKey("The label", label) }),
      ...withoutUndefined({ displayName: patch.displayName }),
      ...(trust === undefined || trust === null ? {} : { trust }),
      overrides: Object.fromEntries(overrides) as SessionOverrides,
      ...(isActivity(patch) ? { updatedAtMs: nowMs } : {}),
    });
  }

  /** The session's conversation was imported: its text is not known to be the owner's. */
  markImported(key: string, importedAtMs: number): void {
    this.#save({ ...this.require(key), importedAtMs });
  }

  /** Starts a new conversation under the key. Settings stay, counters restart, trust ends; what was used before is kept apart. */
  reset(key: string, options: { readonly sessionId: string; readonly isPrivate: boolean; readonly nowMs: number }): SessionRecord {
    const { memoryFlushAtMs: _flush, importedAtMs: _imported, trust: _trust, ...session } = this.require(key);
    const { sessionId, isPrivate, nowMs } = options;
    const conversation = this.begin({ key, sessionId, agentId: session.agentId }, nowMs);
    this.#context.database.run("UPDATE sessions SET conversation = ? WHERE key = ?", conversation.n, key);
    const fresh = { sessionId, isPrivate, startedAtMs: nowMs, interactedAtMs: nowMs, updatedAtMs: nowMs };
    const earlierUsage = addTotals(session.earlierUsage ?? NO_USAGE_TOTALS, session.usage);
    const kept = earlierUsage.calls === 0 ? {} : { earlierUsage };
    return this.#save({ ...session, ...fresh, usage: NO_USAGE_TOTALS, ...kept, compactionCount: 0 });
  }

  /** Sets when a session expires. No-op for an unknown session. */
  expire(key: string, atMs: number): void {
    this.#changed.set(key, undefined);
    this.#context.database.run("UPDATE sessions SET expires_at = ? WHERE key = ?", atMs, key);
  }

  /** Removes the row of a session. */
  remove(key: string): boolean {
    this.#changed.set(key, undefined);
    const removed = this.#context.database.run("DELETE FROM sessions WHERE key = ?", key) > 0;
    if (removed) this.#context.database.run("UPDATE totals SET sessions = sessions - 1 WHERE id = 1");
    return removed;
  }

  #findFolded(key: string, agentId: string | undefined): SessionRecord | undefined {
    const rows = this.#context.database.all(`SELECT ${COLUMNS} WHERE sessions.folded_key = ? LIMIT 2`, fold(key));
    return this.#only(rows, agentId);
  }

  #findLabel(label: string, agentId: string | undefined): SessionRecord | undefined {
    const rows = this.#context.database
      .all(`SELECT ${COLUMNS} WHERE sessions.folded_label = ? LIMIT 20`, fold(label))
      .filter((row) => agentId === undefined || row["agent_id"] === agentId);
    const exact = rows.filter((row) => row["label"] === label);
    return this.#only(exact.length > 0 ? exact : rows, agentId);
  }

  #only(rows: readonly Row[], agentId: string | undefined): SessionRecord | undefined {
    const [row, second] = rows;
    if (row === undefined || second !== undefined) return undefined;
    return agentId === undefined || row["agent_id"] === agentId ? this.#decode(row) : undefined;
  }

  #insert(conversation: Conversation, session: SessionRecord): SessionRecord {
    this.#changed.set(session.key, undefined);
    const [facts, sum] = encodeFacts(session);
    this.#context.database.run(
      `INSERT INTO sessions (key, folded_key, label, folded_label, agent_id, conversation, created_at, interacted_at, updated_at, expires_at,
         is_private, is_pinned, facts, sum) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      session.key,
      fold(session.key),
      session.label ?? null,
      session.label === undefined ? null : fold(session.label),
      session.agentId,
      conversation.n,
      session.createdAtMs,
      session.interactedAtMs,
      session.updatedAtMs,
      session.expiresAtMs ?? null,
      session.isPrivate ? 1 : 0,
      session.overrides.pinned === true ? 1 : 0,
      facts,
      sum,
    );
    this.#context.database.run("UPDATE totals SET sessions = sessions + 1 WHERE id = 1");
    return session;
  }

  #save(session: SessionRecord): SessionRecord {
    const [facts, sum] = encodeFacts(session);
    this.#context.database.run(
      `UPDATE sessions SET label = ?, folded_label = ?, interacted_at = ?, updated_at = ?, is_private = ?, is_pinned = ?, facts = ?,
         sum = ? WHERE key = ?`,
      session.label ?? null,
      session.label === undefined ? null : fold(session.label),
      session.interactedAtMs,
      session.updatedAtMs,
      session.isPrivate ? 1 : 0,
      session.overrides.pinned === true ? 1 : 0,
      facts,
      sum,
      session.key,
    );
    this.#changed.set(session.key, session);
    return session;
  }

  /** A session is never discarded: damaged facts are replaced by defaults, the cautious ones. */
  #decode(row: Row): SessionRecord {
    const session = toSession(row);
    if (session !== undefined) return session;
    const key = textOf(row, "key");
    this.#context.quarantine({ type: "session", id: key, sessionKey: key }, () => this.#repair(key));
    return withDefaults(row);
  }

  /** Stores the defaults, unless the row was changed meanwhile. */
  #repair(key: string): void {
    const row = this.#context.database.get(`SELECT ${COLUMNS} WHERE sessions.key = ?`, key);
    if (row !== undefined && toSession(row) === undefined) this.#save(withDefaults(row));
  }
}

function fold(text: string): string {
  return text.toLowerCase();
}

function cursorOf(row: Row): string {
  return `${encodeId("p", numberOf(row, "updated_at"))}.${encodeId("p", numberOf(row, "n"))}`;
}

function parseCursor(cursor: string): [number, number] {
  const [updatedAt = "", n = ""] = cursor.split(".");
  return [decodePosition("p", updatedAt), decodePosition("p", n)];
}

function isActivity({ label: _label, overrides = {}, ...others }: SessionPatch): boolean {
  const { pinned: _pinned, archived: _archived, ...settings } = overrides;
  return [...Object.values(others), ...Object.values(settings)].some((value) => value !== undefined);
}
