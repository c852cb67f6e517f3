import type { SystemEvent } from "@factotum/agent-core";
import { mediaNotesAfter } from "../context/media-notes-after.ts";
import type { SessionCache } from "../context/session-cache.ts";
import type { TranscriptStore } from "@factotum/store";

/** Entries searched: the note is the last one of its turn, and little follows before the next turn. */
const LOOK_BACK = 3;

/** What the last turn could not send, for the model's next turn. */
export async function mediaNotes(
  sessionId: string,
  { store, cache }: { readonly store: TranscriptStore; readonly cache: SessionCache },
): Promise<readonly SystemEvent[]> {
  const known = cache.mediaNotes(sessionId);
  if (known !== undefined) return known;
  const { items } = await store.readTranscript(sessionId, { limit: LOOK_BACK });
  const notes = items.reduce<readonly SystemEvent[]>(mediaNotesAfter, []);
  cache.setMediaNotes(sessionId, notes);
  return notes;
}
