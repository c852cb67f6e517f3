import { withoutUndefined } from "@factotum/agent-contract";
import type { SystemEvent } from "@factotum/agent-core";
import { mediaNotesAfter } from "../context/media-notes-after.ts";
import type { SessionCache } from "../context/session-cache.ts";
import type { TranscriptEntry, TranscriptStore } from "@factotum/store";

const PAGE = 20;
/** Pages that are read at most: a long turn, or what a busy night has sent. */
const MAX_PAGES = 10;

/** What the last turn could not send, and what jobs and other sessions have sent into the conversation since its last message, for the model's next turn. */
export async function mediaNotes(
  sessionId: string,
  { store, cache }: { readonly store: TranscriptStore; readonly cache: SessionCache },
): Promise<readonly SystemEvent[]> {
  const known = cache.mediaNotes(sessionId);
  if (known !== undefined) return known;
  const notes = (await readSinceMessage(sessionId, store)).reduce<readonly SystemEvent[]>(mediaNotesAfter, []);
  cache.setMediaNotes(sessionId, notes);
  return notes;
}

/** The entries from the last message of a user on, oldest first. */
async function readSinceMessage(sessionId: string, store: TranscriptStore): Promise<readonly TranscriptEntry[]> {
  const entries: TranscriptEntry[] = [];
  let before: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { items, cursor } = await store.readTranscript(sessionId, { limit: PAGE, ...withoutUndefined({ before }) });
    entries.unshift(...items);
    if (cursor === undefined || items.some((entry) => entry.type === "message" && entry.message.role === "user")) return entries;
    before = cursor;
  }
  return entries;
}
