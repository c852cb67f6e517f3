import { withoutUndefined } from "@factotum/agent-contract";
import type { AgentMessage } from "@factotum/agent-contract";
import type { TranscriptEntry, TranscriptStore, TurnRecord } from "@factotum/store";
import { contextMessages } from "../context/read-history.ts";
import { turnMessages } from "../delivery/sent-texts.ts";

/** Entries read per page. */
const TRANSCRIPT_PAGE = 200;

/**
 * All messages of a turn so far, selected by ownership and not by time, because the clock may have been set back. Includes messages that a compaction during
 * the turn has summarised.
 */
export async function readTurnMessages(turn: TurnRecord, sessionId: string, store: TranscriptStore): Promise<readonly AgentMessage[]> {
  let entries: readonly TranscriptEntry[] = [];
  for (let before: string | undefined, isMore = true; isMore;) {
    const page = await store.readTranscript(sessionId, { limit: TRANSCRIPT_PAGE, ...withoutUndefined({ before }) });
    const start = page.items.findLastIndex((entry) => entry.type === "message" && entry.turnId !== turn.id) + 1;
    entries = [...page.items.slice(start), ...entries];
    before = page.cursor;
    isMore = start === 0 && before !== undefined;
  }
  const own = entries.filter((entry) => entry.turnId === turn.id);
  return turnMessages(contextMessages(own, { isOpen: true }).map(({ message }) => message));
}
