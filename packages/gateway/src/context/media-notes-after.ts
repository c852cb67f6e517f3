import type { SystemEvent } from "@factotum/agent-core";
import type { TranscriptEntry } from "@factotum/store";

/** The notes for the model after this entry: a message has consumed the older notes. */
export function mediaNotesAfter(notes: readonly SystemEvent[], entry: TranscriptEntry): readonly SystemEvent[] {
  if (entry.type === "message") return entry.message.role === "user" ? [] : notes;
  if (entry.type !== "notice" || entry.tellsModel !== true) return notes;
  return [...notes, { timestampMs: entry.timestampMs, text: entry.text }];
}
