import type { ChatEntry } from "@factotum/protocol";
import type { EntryVersions, InputRecord, TranscriptStore } from "@factotum/store";

/** The entry with its versions, if it has several. */
export function withVersions<Entry extends ChatEntry | undefined>(entry: Entry, all: readonly EntryVersions[]): Entry | ChatEntry {
  if (entry?.type !== "user") return entry;
  const versions = all.find(({ entryIds }) => entryIds.includes(entry.id))?.entryIds;
  return versions === undefined ? entry : { ...entry, versions };
}

/** The versions of the messages of a conversation, if one of the inputs begins another one. */
export async function versionsWith(
  inputs: readonly InputRecord[],
  sessionId: string,
  store: Pick<TranscriptStore, "readVersions">,
): Promise<readonly EntryVersions[]> {
  return inputs.some(({ admission }) => admission.branch !== undefined) ? store.readVersions(sessionId) : [];
}
