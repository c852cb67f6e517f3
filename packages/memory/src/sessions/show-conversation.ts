import type { MemoryPassage } from "@factotum/agent-contract";
import type { IndexDatabase } from "../database/index-database.ts";
import type { ConversationSource } from "./conversation-source.ts";
import { saidText } from "./index-conversations.ts";

/** Entries that are shown at most. */
const MAX_ENTRIES = 50;

/** Lines of a conversation from an entry on, as far as it is indexed; `undefined` if the entry is not. */
export async function showConversation(
  database: Pick<IndexDatabase, "conversations">,
  source: ConversationSource,
  { path, from, lines, signal }: { readonly path: string; readonly from: number; readonly lines: number; readonly signal: AbortSignal },
): Promise<MemoryPassage | undefined> {
  const mark = path.lastIndexOf("#");
  const [sessionId, entryId] = [path.slice(0, Math.max(0, mark)), path.slice(mark + 1)];
  const origins = database.conversations.origins(sessionId, entryId, MAX_ENTRIES);
  if (!origins.has(entryId)) return undefined;
  const all: string[] = [];
  let isUntrusted = false;
  let isMore = false;
  for await (const entry of source.read(sessionId, { from: entryId })) {
    signal.throwIfAborted();
    const origin = origins.get(entry.id);
    if (origin === undefined) continue;
    isMore = all.length >= from - 1 + lines;
    if (isMore) break;
    isUntrusted ||= origin === "untrusted";
    all.push(...(all.length === 0 ? [] : [""]), ...saidText(entry).split(/\r\n?|\n/));
  }
  // Of an entry that the conversation no longer has.
  if (all.length === 0) return undefined;
  if (from > all.length) return { type: "not-found", message: `${path} has ${all.length} lines.` };
  const part = all.slice(from - 1, from - 1 + lines);
  return {
    type: "found",
    path,
    source: "sessions",
    startLine: from,
    endLine: from + part.length - 1,
    text: part.join("\n"),
    origin: isUntrusted ? "untrusted" : "agent",
    isCut: isMore || from - 1 + part.length < all.length,
  };
}
