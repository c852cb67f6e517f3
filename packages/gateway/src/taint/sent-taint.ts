import { renderSummaryMessage } from "@factotum/agent-core";
import type { MsgContext } from "@factotum/channel-contract";
import type { OutboxRecord, Store, TranscriptEntry } from "@factotum/store";
import { HISTORY_BOUNDS } from "../context/read-history.ts";
import { EVENT_POLICY } from "../run-policy/event-policy.ts";
import { markedEntryId } from "./taint.ts";

/** Where sent messages and the turns that wrote them are read. */
export type SentMessageStore = Pick<Store, "listSentMessage" | "readTurn" | "readSession" | "readRecentContext">;

/**
 * True if a message brings text of the bot's own that others may have caused (R23): a press, a vote or a reply whose target was written by a turn that was
 * tainted or not the owner's, before any reset and restart. The target of a press or a vote that is not known counts as such.
 */
export async function refersToTainted(
  { origin, event, replyTo }: MsgContext,
  { store }: { readonly store: SentMessageStore },
): Promise<boolean> {
  switch (EVENT_POLICY[event.type].brings) {
    case "target": {
      const targetId = "targetId" in event ? event.targetId : undefined;
      const rows = targetId === undefined ? [] : await store.listSentMessage(origin, targetId);
      return rows.length === 0 || isAnyTainted(rows, store);
    }
    case "reply":
      return replyTo?.messageId !== undefined && isAnyTainted(await store.listSentMessage(origin, replyTo.messageId), store);
    case "nothing":
      return false;
  }
}

async function isAnyTainted(rows: readonly OutboxRecord[], store: SentMessageStore): Promise<boolean> {
  for (const row of rows) if (await isRowTainted(row, store)) return true;
  return false;
}

async function isRowTainted({ turnId, purpose }: OutboxRecord, store: SentMessageStore): Promise<boolean> {
  // Without a turn a notice is the gateway's own text; anything else belongs to a session that was deleted.
  if (turnId === undefined) return purpose !== "notice";
  const turn = await store.readTurn(turnId);
  if (turn === undefined || !turn.owner) return true;
  const session = await store.readSession(turn.sessionKey);
  // Trust ends with a reset.
  const current = session?.sessionId === turn.sessionId ? session : undefined;
  if (current?.importedAtMs !== undefined && current.trust === undefined) return true;
  const { entries, omitted } = await store.readRecentContext(turn.sessionId, HISTORY_BOUNDS);
  const trustedId = current?.trust?.type === "until" ? current.trust.entryId : undefined;
  // Runs that ended silently are no history, but have sent the message.
  return omitted > 0 || entries.some((entry) => isMarked(entry, trustedId));
}

function isMarked(entry: TranscriptEntry, trustedId: string | undefined): boolean {
  if (entry.type !== "message" && entry.type !== "compaction") return false;
  const markedId = markedEntryId({ entry, message: entry.type === "message" ? entry.message : renderSummaryMessage(entry.message) });
  return markedId !== undefined && (trustedId === undefined || markedId > trustedId);
}
