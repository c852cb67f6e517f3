import type { ChatEntry } from "@factotum/protocol";
import type { EntryVersions } from "@factotum/store";

/** The entry with its versions, if it has several. */
export function withVersions<Entry extends ChatEntry | undefined>(entry: Entry, all: readonly EntryVersions[]): Entry | ChatEntry {
  if (entry?.type !== "user") return entry;
  const versions = all.find(({ entryIds }) => entryIds.includes(entry.id))?.entryIds;
  return versions === undefined ? entry : { ...entry, versions };
}
