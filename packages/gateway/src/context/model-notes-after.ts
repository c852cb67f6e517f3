import type { SystemEvent } from "@factotum/agent-core";
import { withoutUndefined } from "@factotum/agent-contract";
import type { TranscriptEntry } from "@factotum/store";
import { RUN_POLICY } from "../run-policy/run-policy.ts";
import { runBegunBy } from "./read-since.ts";

/** What the next message tells the model. `tainted`: others than the owner may have caused the text. */
export interface ModelNote extends SystemEvent {
  readonly tainted?: true;
}

/** The notes for the model after this entry: a message has consumed the older notes, unless it began a run aside, which may leave no trace. */
export function modelNotesAfter(notes: readonly ModelNote[], entry: TranscriptEntry): readonly ModelNote[] {
  const run = runBegunBy(entry);
  if (run !== undefined) return RUN_POLICY[run].isAside ? notes : [];
  if (entry.type !== "notice" || entry.tellsModel !== true) return notes;
  const { timestampMs, text, tainted } = entry;
  return [...notes, { timestampMs, text, ...withoutUndefined({ tainted }) }];
}
