import type { SystemEvent } from "@factotum/agent-core";
import type { TranscriptEntry } from "@factotum/store";
import type { TurnServices } from "./turn-services.ts";

/** Entries that are looked through: the note is the last one of its turn, and little comes between two turns. */
const LOOK_BACK = 3;

/** What the last turn could not send, told to the model in the next one. */
export async function mediaNotes(
  sessionId: string,
  { store, cache }: Pick<TurnServices, "store" | "cache">,
): Promise<readonly SystemEvent[]> {
  const known = cache.mediaNotes(sessionId);
  if (known !== undefined) return known;
  const { items } = await store.readTranscript(sessionId, { limit: LOOK_BACK });
  const notes = items.reduce<readonly SystemEvent[]>(mediaNotesAfter, []);
  cache.setMediaNotes(sessionId, notes);
  return notes;
}

/** What the model is to be told once this entry stands behind those that were told of: what somebody said has taken the older notes along. */
export function mediaNotesAfter(notes: readonly SystemEvent[], entry: TranscriptEntry): readonly SystemEvent[] {
  if (entry.type === "message") return entry.message.role === "user" ? [] : notes;
  if (entry.type !== "notice" || entry.tellsModel !== true) return notes;
  return [...notes, { timestampMs: entry.timestampMs, text: entry.text }];
}
