import type { AgentMessage } from "@factotum/agent-contract";
import { IMAGE_REMOVED, renderSummaryMessage, withoutQuietRuns } from "@factotum/agent-core";
import type { ContextBounds, Store, TranscriptEntry } from "@factotum/store";
import type { SessionCache } from "./session-cache.ts";

/** The source of a session's requests. */
export interface SessionHistory {
  /** Oldest first; after a compaction the summary comes first. */
  readonly messages: readonly AgentMessage[];
  readonly compactedAtMs: number | undefined;
  /** Older entries of the context that were not read: the read ones exceed every model's window already. */
  readonly omitted: number;
  /** A message in it was replaced since a model last answered: the next request has another prefix. */
  readonly isReplaced: boolean;
}

/** One message of a context, and its entry. */
export interface ContextMessage {
  readonly entry: TranscriptEntry;
  readonly message: AgentMessage;
}

/** Whether the last run of a history is still running: then it is shown, regardless of its later outcome. */
export interface HistoryOptions {
  readonly isOpen: boolean;
}

/**
 * How much of a context is read: more text than the largest window, and little enough for memory. Older images are replaced by this text anyway: only those of
 * the last turns are sent.
 */
export const HISTORY_BOUNDS: ContextBounds = {
  maxChars: 8 * 1024 * 1024,
  images: { maxChars: 64 * 1024 * 1024, text: IMAGE_REMOVED },
};

/** The session's messages since its last compaction, from the cache if it is active. */
export async function readHistory(
  sessionId: string,
  parts: { readonly cache: SessionCache; readonly store: Pick<Store, "readRecentContext"> },
  options: HistoryOptions = { isOpen: false },
): Promise<SessionHistory> {
  const cached = parts.cache.get(sessionId);
  // The turn that reads the cached history appends to it.
  if (cached !== undefined)
    return { messages: shownHistory(cached.messages, options), compactedAtMs: cached.compactedAtMs, omitted: 0, isReplaced: false };
  const { entries, omitted } = await parts.store.readRecentContext(sessionId, HISTORY_BOUNDS);
  const messages = allMessages(entries).map(({ message }) => message);
  const compactedAtMs = entries.find((entry) => entry.type === "compaction")?.message.timestamp;
  const isReplaced = isReplacedSinceAnswer(entries);
  // The next answer ends the effect of the replacement; until then each turn checks for itself. A context that was not read completely is about to be
  // compacted.
  if (!isReplaced && omitted === 0) parts.cache.set(sessionId, messages, compactedAtMs);
  return { messages: shownHistory(messages, options), compactedAtMs, omitted, isReplaced };
}

/** The rendered form of a context's entries, each with its entry. */
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

/** The replacements of entries in requests, by entry id; the last one wins. */
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

/** True until an answer follows a change of the history after a provider's refusal. */
export function isReplacedSinceAnswer(entries: readonly TranscriptEntry[]): boolean {
  const replacement = entries.findLastIndex((entry) => entry.type === "replacement" && entry.rerendered !== true);
  return replacement > entries.findLastIndex((entry) => entry.type === "message" && entry.message.role === "assistant");
}
