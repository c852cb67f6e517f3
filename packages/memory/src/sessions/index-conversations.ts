import { setImmediate as nextTick } from "node:timers/promises";
import type { MemoryChange, MemoryOrigin } from "@factotum/agent-contract";
import { chunkNote } from "../chunks/chunk-note.ts";
import type { ConversationState, SaidText } from "../database/conversation-table.ts";
import type { IndexDatabase } from "../database/index-database.ts";
import type { ConversationSource, SaidEntry, SearchableConversation } from "./conversation-source.ts";

/** Entries that are indexed at once: other work of the process runs in between. */
const BATCH = 50;

/** How an entry is shown and indexed: with who said it. Lines count in this text. */
export function saidText({ by, text }: SaidEntry): string {
  return `${by}:${/^ {0,3}[#`~]/.test(text) ? "\n" : " "}${text}`;
}

/** Brings the conversations of an index up to date: reads what was said since, and removes those that may not be searched. */
export async function indexConversations(
  database: IndexDatabase,
  source: ConversationSource,
  { agentId, nowMs, signal }: { readonly agentId: string; readonly nowMs: () => number; readonly signal: AbortSignal },
): Promise<readonly MemoryChange[]> {
  const listed = await source.list(agentId, { signal });
  const known = database.conversations.states();
  const present = new Set(listed.map(({ sessionId }) => sessionId));
  const changes: MemoryChange[] = [];
  for (const { sessionId } of known.values())
    if (!present.has(sessionId)) {
      database.forget(sessionId, nowMs());
      changes.push({ path: sessionId, type: "removed" });
    }
  for (let isFirst = true; changes.length > 0 && database.purge(isFirst); isFirst = false) await nextTick();
  for (const conversation of listed) {
    const before = known.get(conversation.sessionId);
    if (before !== undefined && isRead(before, conversation)) continue;
    const type = await readOn(database, source, { conversation, before, nowMs, signal });
    if (type !== undefined) changes.push({ path: conversation.sessionId, type });
  }
  const contexts = listed.flatMap(({ sessionId, inContextFrom = "" }) =>
    known.has(sessionId) || inContextFrom !== "" ? [[sessionId, inContextFrom] as const] : [],
  );
  database.markContext(new Map(contexts));
  return changes;
}

function isRead({ lastEntryId, activeAtMs, isExcluded }: ConversationState, now: SearchableConversation): boolean {
  if (lastEntryId === now.lastEntryId) return activeAtMs === now.activeAtMs;
  return isExcluded && lastEntryId < now.lastEntryId;
}

/** Reads a conversation on from where it was read to; from its start if it is not the same any longer, as after the recovery of a database. Resolves with what has become of its texts. */
async function readOn(
  database: IndexDatabase,
  source: ConversationSource,
  {
    conversation,
    before,
    nowMs,
    signal,
  }: {
    readonly conversation: SearchableConversation;
    readonly before: ConversationState | undefined;
    readonly nowMs: () => number;
    readonly signal: AbortSignal;
  },
): Promise<MemoryChange["type"] | undefined> {
  const { sessionId, isShared } = conversation;
  const continued = before !== undefined && before.lastEntryId < conversation.lastEntryId ? before : undefined;
  if (before !== undefined && continued === undefined) database.forget(sessionId, nowMs());
  let isTainted = continued?.isTainted ?? false;
  let texts: SaidText[] = [];
  let count = 0;
  const save = (lastEntryId: string, activeAtMs: number, isExcluded = false): void => {
    database.append({ sessionId, lastEntryId, activeAtMs, isTainted, isExcluded }, isExcluded ? [] : texts, nowMs());
    texts = [];
  };
  for await (const entry of source.read(sessionId, continued === undefined ? {} : { after: continued.lastEntryId })) {
    signal.throwIfAborted();
    if (entry.id > conversation.lastEntryId) break;
    if (entry.by === "other" && !isShared) {
      save(conversation.lastEntryId, conversation.activeAtMs, true);
      return before === undefined || before.isExcluded ? undefined : "removed";
    }
    isTainted ||= entry.untrusted;
    if (entry.text.trim() === "") continue;
    texts.push({ entryId: entry.id, atMs: entry.atMs, origin: originOf(entry, isTainted), chunks: chunkNote(saidText(entry)) });
    count += 1;
    if (texts.length < BATCH) continue;
    save(entry.id, entry.atMs);
    await nextTick();
  }
  save(conversation.lastEntryId, conversation.activeAtMs);
  if (count > 0) return before === undefined ? "added" : "changed";
  return before === continued ? undefined : "removed";
}

/** What the assistant says may repeat what it has read. */
function originOf({ by, untrusted }: SaidEntry, isTainted: boolean): MemoryOrigin {
  if (untrusted || by === "other") return "untrusted";
  if (by === "owner") return "owner";
  return isTainted ? "untrusted" : "agent";
}
