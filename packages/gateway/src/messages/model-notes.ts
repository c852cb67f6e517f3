import type { TranscriptStore } from "@factotum/store";
import { modelNotesAfter, type ModelNote } from "../context/model-notes-after.ts";
import { readSince } from "../context/read-since.ts";
import type { SessionCache } from "../context/session-cache.ts";
import { RUN_POLICY } from "../run-policy/run-policy.ts";

/** What the last turn could not send, and what jobs and other sessions have sent into the conversation since its last message, for the model's next turn. */
export async function modelNotes(
  sessionId: string,
  { store, cache }: { readonly store: TranscriptStore; readonly cache: SessionCache },
): Promise<readonly ModelNote[]> {
  const known = cache.modelNotes(sessionId);
  if (known !== undefined) return known;
  const entries = await readSince(sessionId, (run) => !RUN_POLICY[run].isAside, store);
  const notes = entries.reduce<readonly ModelNote[]>(modelNotesAfter, []);
  cache.setModelNotes(sessionId, notes);
  return notes;
}
