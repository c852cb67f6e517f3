import type { AgentMessage } from "@factotum/agent-contract";
import { IMAGE_REMOVED, renderSummaryMessage, withoutQuietRuns } from "@factotum/agent-core";
import type { ContextBounds, Store, TranscriptEntry } from "@factotum/store";
import type { SessionCache } from "./session-cache.ts";

/** What a session's requests are made of. */
export interface SessionHistory {
  /** Oldest first; after a compaction the summary stands in front. */
  readonly messages: readonly AgentMessage[];
  readonly compactedAtMs: number | undefined;
  /** Entries of the context that are older than these and were not read: more than any model takes stands here already. */
  readonly omitted: number;
  /** Something in it was replaced since a model last answered: the next request breaks with the one before it. */
  readonly isReplaced: boolean;
}

/** One message of a context, and the entry that it stands for. */
export interface ContextMessage {
  readonly entry: TranscriptEntry;
  readonly message: AgentMessage;
}

/** Whether the last run of a history is still at work: then it is shown, whatever it may come to tell. */
export interface HistoryOptions {
  readonly isOpen: boolean;
}

/**
 * What is read of a context: more text than fits into the largest window, and little enough to hold. Older images are shown as this text anyway: only those of
 * the last turns are sent.
 */
export const HISTORY_BOUNDS: ContextBounds = {
  maxChars: 8 * 1024 * 1024,
  images: { maxChars: 64 * 1024 * 1024, text: IMAGE_REMOVED },
};

/** The session's messages since its last compaction, from memory where they are in use. */
export async function readHistory(
  sessionId: string,
  parts: { readonly cache: SessionCache; readonly store: Pick<Store, "readRecentContext"> },
  options: HistoryOptions = { isOpen: false },
): Promise<SessionHistory> {
  const cached = parts.cache.get(sessionId);
  // What is in use grows with the turn that reads it.
  if (cached !== undefined)
    return { messages: shownHistory(cached.messages, options), compactedAtMs: cached.compactedAtMs, omitted: 0, isReplaced: false };
  const { entries, omitted } = await parts.store.readRecentContext(sessionId, HISTORY_BOUNDS);
  const messages = allMessages(entries).map(({ message }) => message);
  const compactedAtMs = entries.find((entry) => entry.type === "compaction")?.message.timestamp;
  const isReplaced = isReplacedSinceAnswer(entries);
  // The next answer makes the replacement an old one; until then each turn looks for itself.
  // A context that was not read to its beginning is about to be compacted.
  if (!isReplaced && omitted === 0) parts.cache.set(sessionId, messages, compactedAtMs);
  return { messages: shownHistory(messages, options), compactedAtMs, omitted, isReplaced };
}

/** What the entries of a context are in a request, each with its entry. */
export function contextMessages(entries: readonly TranscriptEntry[], options: HistoryOptions): readonly ContextMessage[] {
  const all = allMessages(entries);
  const shown = withoutQuietRuns(
    all.map(({ message }) => message),
    options,
  );
  if (shown.length === all.length) return all;
  const kept = new Set(shown);
  return all.filter(({ message }) => kept.has(message));
}

function shownHistory(messages: readonly AgentMessage[], options: HistoryOptions): readonly AgentMessage[] {
  const shown = withoutQuietRuns(messages, options);
  return shown === messages ? [...messages] : shown;
}

/** What stands for entries in requests, by their id; of several the last one counts. */
export function replacedMessages(entries: readonly TranscriptEntry[]): ReadonlyMap<string, AgentMessage> {
  return new Map(
    entries.flatMap((entry) =>
      entry.type === "replacement" ? entry.messages.map(({ entryId, message }) => [entryId, message] as const) : [],
    ),
  );
}

function allMessages(entries: readonly TranscriptEntry[]): readonly ContextMessage[] {
  const replaced = replacedMessages(entries);
  return entries.flatMap((entry): readonly ContextMessage[] => {
    if (entry.type === "message") return [{ entry, message: replaced.get(entry.id) ?? entry.message }];
    return entry.type === "compaction" ? [{ entry, message: replaced.get(entry.id) ?? renderSummaryMessage(entry.message) }] : [];
  });
}

/** True while no answer has come since a provider's refusal changed the history. */
export function isReplacedSinceAnswer(entries: readonly TranscriptEntry[]): boolean {
  const replacement = entries.findLastIndex((entry) => entry.type === "replacement" && entry.rerendered !== true);
  return replacement > entries.findLastIndex((entry) => entry.type === "message" && entry.message.role === "assistant");
}
