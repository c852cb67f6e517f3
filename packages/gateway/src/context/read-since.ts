import { withoutUndefined } from "@factotum/agent-contract";
import type { RunKind } from "@factotum/agent-contract";
import type { TranscriptEntry, TranscriptStore } from "@factotum/store";

const PAGE = 20;
/** Pages that are read at most: a long turn, or what a busy night has sent. */
const MAX_PAGES = 10;

/** The kind of the run that a message of the user began; `undefined` for every other entry. */
export function runBegunBy(entry: TranscriptEntry): RunKind | undefined {
  if (entry.type !== "message" || entry.message.role !== "user") return undefined;
  return entry.message.parts?.run ?? "user";
}

/** The entries of a conversation from the last message on that began such a run, oldest first: of the newest 200. All of them if none did. */
export async function readSince(
  sessionId: string,
  isSuch: (run: RunKind) => boolean,
  store: Pick<TranscriptStore, "readTranscript">,
): Promise<readonly TranscriptEntry[]> {
  const begins = (entry: TranscriptEntry): boolean => {
    const run = runBegunBy(entry);
    return run !== undefined && isSuch(run);
  };
  const entries: TranscriptEntry[] = [];
  let before: string | undefined;
  for (let page = 0; page < MAX_PAGES; page += 1) {
    const { items, cursor } = await store.readTranscript(sessionId, { limit: PAGE, ...withoutUndefined({ before }) });
    entries.unshift(...items);
    const from = items.findLastIndex(begins);
    if (from >= 0) return entries.slice(from);
    if (cursor === undefined) break;
    before = cursor;
  }
  return entries;
}
