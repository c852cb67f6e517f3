import type { Page } from "./page.ts";
import type { PromptRecord, TranscriptBody, TranscriptEntry } from "./transcript-records.ts";

/** How much of a context is read, in characters. */
export interface ContextBounds {
  /** Of texts; the data of images is not counted. */
  readonly maxChars: number;
  /** Of the data of images, and the text that stands for each image beyond that. */
  readonly images: { readonly maxChars: number; readonly text: string };
}

/** The newest part of a context. */
export interface RecentContext {
  /** The compaction first, then messages and replacements, oldest first. */
  readonly entries: readonly TranscriptEntry[];
  /** How many entries of the context are older and left out. */
  readonly omitted: number;
}

/** What was said under a session id, and the prompts that it was said with. */
export interface TranscriptStore {
  /** Appends an entry outside any turn. A notice whose key is taken is not written again: the first one is given back. */
  appendEntry(sessionId: string, body: TranscriptBody, options: { readonly timestampMs: number }): Promise<TranscriptEntry>;
  /** The notice with this key, in whatever conversation it stands. */
  findNotice(key: string): Promise<TranscriptEntry | undefined>;
  /** A page that ends before `before` (exclusive), oldest first; reads at most `limit + 1` rows. `cursor` leads to older ones. */
  readTranscript(sessionId: string, options: { readonly before?: string; readonly limit: number }): Promise<Page<TranscriptEntry>>;
  /**
   * What a request is made of: the last compaction first, then every message and replacement from its first kept entry on, oldest first. With `at` it
   * is what a request was made of whose last entry this is.
   */
  readContext(sessionId: string, options?: { readonly at: string }): Promise<readonly TranscriptEntry[]>;
  /**
   * The newest part of the same context: whole messages until their text has `maxChars` characters. Images end nothing: once those of newer messages have
   * `images.maxChars` characters, a text stands for each older one. However long the history is, only that much of its text is read, and other work runs in
   * between.
   */
  readRecentContext(sessionId: string, options: ContextBounds): Promise<RecentContext>;
  /** Yields the whole transcript, page by page, oldest first; with `after` what follows that entry. */
  exportTranscript(sessionId: string, options?: { readonly after: string }): AsyncIterable<TranscriptEntry>;
  savePrompt(prompt: PromptRecord): Promise<void>;
  /** The newest prompt of the session id, or the newest one with this hash that had been rendered by then. */
  readPrompt(sessionId: string, options?: { readonly hash: string; readonly notAfterMs: number }): Promise<PromptRecord | undefined>;
}
