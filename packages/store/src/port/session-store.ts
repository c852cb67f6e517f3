import type { Page } from "./page.ts";
import type { ConversationRecord, SessionOverrides, SessionRecord, SessionTrust } from "./session-records.ts";
import type { TranscriptBody } from "./transcript-records.ts";

/** A session to create. */
export interface NewSession {
  readonly key: string;
  readonly sessionId: string;
  readonly agentId: string;
  readonly isPrivate: boolean;
  readonly displayName: string;
  readonly spawnedBy?: string;
  /** The folder in which the owner's runs work instead of the agent's workspace. */
  readonly workspace?: string;
  readonly expiresAtMs?: number;
}

/** A change of a session's settings. `null` clears a value. */
export interface SessionPatch {
  readonly label?: string | null;
  readonly displayName?: string;
  readonly overrides?: { readonly [Name in keyof SessionOverrides]?: SessionOverrides[Name] | null };
  readonly trust?: SessionTrust | null;
}

/** An entry to import. */
export interface ImportedEntry {
  /** Its id in the imported file, used by references of later entries; the store assigns a new one. */
  readonly id?: string;
  readonly timestampMs: number;
  /** A compaction refers to its first kept entry by that entry's `id` here. */
  readonly body: TranscriptBody;
}

/** A session to import, with its entries in order. */
export interface ImportedSession extends SessionRecord {
  /** Stored while they are read, so that a long session is never in memory as a whole. */
  readonly entries: Iterable<ImportedEntry> | AsyncIterable<ImportedEntry>;
}

/** How a session is imported. */
export interface ImportOptions {
  /** Dry run: checks whether it could be stored, reads no entries and stores nothing. */
  readonly isTrial?: boolean;
  /** Cancels the import and removes what was stored of it. */
  readonly signal?: AbortSignal;
}

/** Sessions, and all conversations under their keys. */
export interface SessionStore {
  readSession(key: string): Promise<SessionRecord | undefined>;
  /** Exact match first, then ignoring case if that is unique. */
  findSession(query: { readonly key?: string; readonly label?: string; readonly agentId?: string }): Promise<SessionRecord | undefined>;
  /**
   * Newest activity first; reads at most `limit + 1` rows. `activeSinceMs` excludes sessions without activity since then. With `isWanted` at most 201 rows are
   * read, regardless of the limit, and a page can be short although more follow.
   */
  listSessions(filter: {
    readonly agentId?: string;
    readonly activeSinceMs?: number;
    /** Only those that are pinned; found by index. */
    readonly pinned?: true;
    readonly isWanted?: (key: string) => boolean;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<SessionRecord>>;
  /** Creates a session without a turn. Resolves with the existing one if the key is taken. */
  createSession(session: NewSession, options: { readonly nowMs: number }): Promise<SessionRecord>;
  /** Rejects with `not-found`. */
  patchSession(key: string, patch: SessionPatch, options: { readonly nowMs: number }): Promise<SessionRecord>;
  /** Gives the key a new session id; the old transcript stays readable by its id. */
  resetSession(
    key: string,
    options: { readonly sessionId: string; readonly isPrivate: boolean; readonly nowMs: number },
  ): Promise<SessionRecord>;
  /**
   * Imports a session in many small commits, between which other work runs. It becomes visible with the last one: an import that fails, is cancelled or crashes
   * leaves nothing. Rejects with `conflict` if the key or the session id is taken.
   */
  importSession(session: ImportedSession, options?: ImportOptions): Promise<SessionRecord>;
  /**
   * Deletes a session with every transcript of its key; the plain files are renamed to `<id>.jsonl.deleted.<time>`. Resolves with the deleted session ids, none
   * if the session does not exist; rejects with `conflict` while a turn of it is running. Pending replies are still delivered.
   */
  deleteSession(key: string, options: { readonly nowMs: number }): Promise<readonly string[]>;
  /** Sessions without activity since `notAfterMs`, longest idle first; reads at most `limit + 1` rows. */
  listIdleSessions(filter: { readonly notAfterMs: number; readonly limit: number; readonly cursor?: string }): Promise<Page<SessionRecord>>;
  /** All conversations, or those of one key, by start; reads at most `limit + 1` of them. */
  listConversations(filter: {
    readonly sessionKey?: string;
    readonly limit: number;
    readonly cursor?: string;
  }): Promise<Page<ConversationRecord>>;
  /**
   * Deletes a conversation that has ended, like `deleteSession`. False if it does not exist; rejects with `conflict` for the current conversation of its
   * session, and while a turn of it is running.
   */
  deleteConversation(sessionId: string, options: { readonly nowMs: number }): Promise<boolean>;
  /** Sessions whose `expiresAtMs` has passed. */
  listExpiredSessions(nowMs: number, limit: number): Promise<readonly SessionRecord[]>;
}
