import { withoutUndefined } from "@factotum/agent-contract";
import type { ChatEntry } from "@factotum/protocol";
import type { EntryVersions, Page, TranscriptEntry } from "@factotum/store";
import { toChatEntry } from "../delivery/chat-entries.ts";
import { withVersions } from "../delivery/entry-versions.ts";

/** Maximum size of the entries of a page, in bytes of JSON. A page with a larger entry has only that one. */
export const MAX_PAGE_BYTES: number = 1024 * 1024;

/** Entries for clients, oldest first. `before` leads to older ones. */
export interface HistoryPage {
  readonly entries: readonly ChatEntry[];
  readonly before?: string;
}

/** As many of the newest entries of a page as fit, at least one, with the versions of messages that have several; the page before it continues with the others. */
export function toHistoryPage({ items, cursor }: Page<TranscriptEntry>, versions: readonly EntryVersions[] = []): HistoryPage {
  const newestFirst: ChatEntry[] = [];
  let bytes = 0;
  for (let index = items.length - 1; index >= 0; index -= 1) {
    const item = items[index];
    const entry = item === undefined ? undefined : withVersions(toChatEntry(item), versions);
    if (entry === undefined) continue;
    bytes += Buffer.byteLength(JSON.stringify(entry));
    if (bytes > MAX_PAGE_BYTES && newestFirst.length > 0) {
      return { entries: newestFirst.toReversed(), ...withoutUndefined({ before: items[index + 1]?.id }) };
    }
    newestFirst.push(entry);
  }
  return { entries: newestFirst.toReversed(), ...withoutUndefined({ before: cursor }) };
}
