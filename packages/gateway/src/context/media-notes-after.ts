import type { SystemEvent } from "@factotum/agent-core";
import type { TranscriptEntry } from "@factotum/store";

/** What the model is to be told once this entry stands behind those that were told of: what somebody said has taken the older notes along. */
export function mediaNotesAfter(notes: readonly SystemEvent[], entry: TranscriptEntry): readonly SystemEvent[] {
  if (entry.type === "message") return entry.message.role === "user" ? [] : notes;
  if (entry.type !== "notice" || entry.tellsModel !== true) return notes;
  return [...notes, { timestampMs: entry.timestampMs, text: entry.text }];
}
