import type { TranscriptEntry } from "@factotum/store";
import { withoutUndefined } from "@factotum/agent-contract";
import type { SessionEvents } from "../events/session-events.ts";
import { toChatEntry } from "./chat-entries.ts";

/** Publishes a committed entry to the watchers of the session. */
export function publishEntry(
  parts: { readonly events: SessionEvents },
  sessionKey: string,
  entry: TranscriptEntry,
  runId: string | undefined,
): void {
  const shown = toChatEntry(entry);
  if (shown !== undefined)
    parts.events.publish(sessionKey, { type: "entry", entry: shown, ...withoutUndefined({ runId }) }, { turnId: entry.turnId });
  parts.events.entryCommitted(sessionKey, entry);
}
