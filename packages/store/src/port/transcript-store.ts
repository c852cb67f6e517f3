import type { Page } from "./page.ts";
import type { PromptRecord, TranscriptBody, TranscriptEntry } from "./transcript-records.ts";

/** How much of a context is read, in characters. */
export interface ContextBounds {
  /** Of texts; the data of images is not counted. */
  readonly maxChars: number;
  /** For image data; `text` replaces each image beyond that. */
  readonly images: { readonly maxChars: number; readonly text: string };
}

/** The newest part of a context. */
export interface RecentContext {
  /** The compaction first, then messages and replacements, oldest first. */
  readonly entries: readonly TranscriptEntry[];
  /** How many older entries of the context are omitted. */
  readonly omitted: number;
}

/** An entry that a search has found. */
export interface FoundEntry {
  readonly entry: TranscriptEntry;
  readonly sessionKey: string;
  readonly agentId: string;
  /** It is on another branch of its conversation than the current one. */
  readonly isHidden: boolean;
}

/** One step of a search; see `TranscriptStore.scanEntries`. */
export type EntryScan = (query: { readonly words: readonly string[]; readonly before?: string; readonly scan: number }) => Promise<{
  readonly found: readonly FoundEntry[];
  /** The time of the oldest entry that was looked at; absent without one. */
  readonly reachedMs?: number;
  readonly before?: string;
}>;

/** The first messages of all branches that continue one entry. */
export interface EntryVersions {
  /** Oldest first; at least two. */
  readonly entryIds: readonly string[];
  /** The one of the current branch; absent if that has none of them. */
  readonly shownId?: string;
}

/** Most branches of a transcript. Each read of a conversation looks at all of them. */
export const MAX_BRANCHES = 500;

/** Transcripts by session id, and the prompts of their requests. */
export interface TranscriptStore {
  /** Appends an entry outside any turn. If a notice with the same key exists, that one is returned instead. */
  appendEntry(sessionId: string, body: TranscriptBody, options: { readonly timestampMs: number }): Promise<TranscriptEntry>;
  /** Undefined for an unknown one, and for a damaged one. */
  readEntry(id: string): Promise<TranscriptEntry | undefined>;
  /** The notice with this key, in any conversation. */
  findNotice(key: string): Promise<TranscriptEntry | undefined>;
  /**
   * A page that ends before `before` (exclusive), oldest first; reads at most `limit + 1` rows. `cursor` leads to older ones. `exceptSilent`: without the
   * entries of turns that ended in silence, which are read as well.
   */
  readTranscript(
    sessionId: string,
    options: { readonly before?: string; readonly limit: number; readonly exceptSilent?: boolean },
  ): Promise<Page<TranscriptEntry>>;
  /**
   * The context of a request: the last compaction first, then every message and replacement from its first kept entry on, oldest first. With `at`: the context
   * of the request whose last entry this is.
   */
  readContext(sessionId: string, options?: { readonly at: string }): Promise<readonly TranscriptEntry[]>;
  /**
   * The newest part of the same context: whole messages until their text has `maxChars` characters. Images do not count as text: once newer images use up
   * `images.maxChars`, each older one is replaced by `images.text`. Regardless of the length of the history only that much of its text is read, and other work
   * runs in between.
   */
  readRecentContext(sessionId: string, options: ContextBounds): Promise<RecentContext>;
  /** Yields the whole transcript, page by page, oldest first; with `after` the entries after that one. */
  exportTranscript(sessionId: string, options?: { readonly after: string }): AsyncIterable<TranscriptEntry>;
  /**
   * Looks at the newest `scan` entries before `before`, of all conversations that are no import, for messages whose stored form may contain every word, newest
   * first; entries of turns that ended in silence are left out. It may find too much: letters other than ASCII match any, and the words may be in parts that
   * are not shown. `before` continues.
   */
  readonly scanEntries: EntryScan;
  /**
   * Begins another branch of the transcript, which continues what is before the entry `before`: reads of the conversation no longer give that entry and what
   * follows it. With a `key` that was used before, a no-op. Rejects with `not-found` for an entry of another conversation, and with `invalid` if there are
   * `MAX_BRANCHES` already.
   */
  branchTranscript(
    sessionId: string,
    options: { readonly before: string; readonly key: string; readonly timestampMs: number },
  ): Promise<TranscriptEntry>;
  /** Continues the newest branch that has the entry; `undefined` if it is the current one. Rejects as `branchTranscript` does. */
  chooseBranch(
    sessionId: string,
    options: { readonly entryId: string; readonly timestampMs: number },
  ): Promise<TranscriptEntry | undefined>;
  /** The messages of people at which the transcript has branches. */
  readVersions(sessionId: string): Promise<readonly EntryVersions[]>;
  savePrompt(prompt: PromptRecord): Promise<void>;
  /** The newest prompt of the session id, or the newest one with this hash that was rendered by then. */
  readPrompt(sessionId: string, options?: { readonly hash: string; readonly notAfterMs: number }): Promise<PromptRecord | undefined>;
}
