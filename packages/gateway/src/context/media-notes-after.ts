import type { SystemEvent } from "@factotum/agent-core";
import type { TranscriptEntry } from "@factotum/store";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { runBegunBy } from "./read-since.ts";

/** The notes for the model after this entry: a message has consumed the older notes, unless it began a run aside, which may leave no trace. */
export function mediaNotesAfter(notes: readonly SystemEvent[], entry: TranscriptEntry): readonly SystemEvent[] {
  const run = runBegunBy(entry);
  if (run !== undefined) return RUN_POLICY[run].isAside ? notes : [];
  if (entry.type !== "notice" || entry.tellsModel !== true) return notes;
  return [...notes, { timestampMs: entry.timestampMs, text: entry.text }];
}
