import type { Page } from "./page.ts";
import type { ConversationRecord, SessionOverrides, SessionRecord, SessionTrust } from "./session-records.ts";
import type { TranscriptBody } from "./transcript-records.ts";

/** A session to be made. */
export interface NewSession {
  readonly key: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly isPrivate: boolean;
  readonly displayName: string;
  readonly spawnedBy?: string;
  readonly expiresAtMs?: number;
}

/** A change of a session's settings. `null` clears a value. */
export interface SessionPatch {
  readonly label?: string | null;
  readonly displayName?: string;
  readonly overrides?: { readonly [Name in keyof SessionOverrides]?: SessionOverrides[Name] | null };
  readonly trust?: SessionTrust | null;
}

/** An entry from elsewhere. */
export interface ImportedEntry {
  /** One of its file, by which later entries refer to it; the store gives it another. */
  readonly id?: string;
  readonly timestampMs: number;
  /** A compaction names its first kept entry by that entry's id here. */
  readonly body: TranscriptBody;
}

/** A session from elsewhere, with its entries in their order. */
export interface ImportedSession extends SessionRecord {
  /** Read as they are stored, so that a long session is never in memory as a whole. */
  readonly entries: Iterable<ImportedEntry> | AsyncIterable<ImportedEntry>;
}

/** How a session is imported. */
export interface ImportOptions {
  /** Only finds out whether it could be stored: reads no entries and keeps nothing. */
  readonly isTrial?: boolean;
  /** Ends the import, of which nothing stays then. */
  readonly signal?: AbortSignal;
}

/** Sessions, and the conversations that their keys have had. */
export interface SessionStore {
  readSession(key: string): Promise<SessionRecord | undefined>;
  /** Exact, then without case if that is unique. */
  findSession(query: { readonly key?: string; readonly label?: string; readonly agentId?: string }): Promise<SessionRecord | undefined>;
  /**
   * Newest activity first; reads at most `limit + 1` rows. `activeSinceMs` leaves out those in which nothing has happened since. With `isWanted` at most
   * 201 rows are read, whatever the limit, and a page can be short though more follow.
   */
  listSessions(filter: {
    readonly agentId?: string;
    readonly activeSinceMs?: number;
    readonly isWanted?: (key: string) => boolean;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<SessionRecord>>;
  /** Makes a session that has no turn yet. The existing one if the key is taken. */
  createSession(session: NewSession, options: { readonly nowMs: number }): Promise<SessionRecord>;
  /** Rejects with `not-found`. */
  patchSession(key: string, patch: SessionPatch, options: { readonly nowMs: number }): Promise<SessionRecord>;
  /** Gives the key a new session id; the old transcript stays, readable by its id. */
  resetSession(
    key: string,
    options: { readonly sessionId: string; readonly isPrivate: boolean; readonly nowMs: number },
  ): Promise<SessionRecord>;
  /**
   * Stores a session from elsewhere, in many small commits between which other work goes on. It is there with the last of them: an import that ends before,
   * by an error, a signal or a crash, leaves nothing. Rejects with `conflict` if the key or the session id is taken.
   */
  importSession(session: ImportedSession, options?: ImportOptions): Promise<SessionRecord>;
  /**
   * Removes a session with every transcript that its key has had; the plain files are renamed to `<id>.jsonl.deleted.<time>`.
   * Gives the session ids that it has had, none if there is no such session; rejects with `conflict` while a turn of it is running. What was said
   * already is still delivered.
   */
  deleteSession(key: string, options: { readonly nowMs: number }): Promise<readonly string[]>;
  /** Sessions in which nothing has happened since `notAfterMs`, the quietest first; reads at most `limit + 1` rows. */
  listIdleSessions(filter: { readonly notAfterMs: number; readonly limit: number; readonly cursor?: string }): Promise<Page<SessionRecord>>;
  /** Every conversation, or those that a key has had, in the order of their beginning; reads at most `limit + 1` of them. */
  listConversations(filter: {
    readonly sessionKey?: string;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<ConversationRecord>>;
  /**
   * Removes a conversation that has ended, as `deleteSession` does. False if there is none; rejects with `conflict` for the one that its session is in,
   * and while a turn of it is running.
   */
  deleteConversation(sessionId: string, options: { readonly nowMs: number }): Promise<boolean>;
  /** Sessions whose `expiresAtMs` has passed. */
  listExpiredSessions(nowMs: number, limit: number): Promise<readonly SessionRecord[]>;
}
