import type { EntryVersions, TranscriptEntry } from "@factotum/store";
import { withoutUndefined } from "@factotum/agent-contract";
import type { SessionEvents } from "../events/session-events.ts";
import { toChatEntry } from "./chat-entries.ts";
import { withVersions } from "./entry-versions.ts";

/** Publishes a committed entry to the watchers of the session. `versions`: those of messages with several. */
export function publishEntry(
  parts: { readonly events: SessionEvents },
  sessionKey: string,
  entry: TranscriptEntry,
  runId: string | undefined,
  versions: readonly EntryVersions[] = [],
): void {
  const shown = withVersions(toChatEntry(entry), versions);
  if (shown !== undefined)
    parts.events.publish(sessionKey, { type: "entry", entry: shown, ...withoutUndefined({ runId }) }, { turnId: entry.turnId });
  parts.events.entryCommitted(sessionKey, entry);
}
