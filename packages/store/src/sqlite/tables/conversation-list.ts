import type { ConversationRecord } from "../../port/session-records.ts";
import type { Page } from "../../port/page.ts";
import { toPage } from "../values/page.ts";
import { numberOf, optionalNumber, textOf } from "../values/row.ts";
import { decodePosition, encodeId } from "../values/sequence-id.ts";
import type { Row } from "../values/row.ts";
import type { Database } from "../connection/database.ts";

const SELECT = `SELECT conversations.*, transcript.at AS active_at, sessions.n AS session, sessions.is_private FROM conversations
  LEFT JOIN sessions ON sessions.conversation = conversations.n LEFT JOIN transcript ON transcript.id = conversations.last_entry`;

/** Conversations, by start. */
export function listConversations(
  database: Database,
  filter: { readonly sessionKey?: string; readonly limit: number; readonly cursor?: string },
): Page<ConversationRecord> {
  const after = filter.cursor === undefined ? 0 : decodePosition("p", filter.cursor);
  const rows =
    filter.sessionKey === undefined
      ? database.all(
          `${SELECT} WHERE conversations.n > ? AND conversations.is_import = 0 ORDER BY conversations.n LIMIT ?`,
          after,
          filter.limit + 1,
        )
      : database.all(
          `${SELECT} WHERE conversations.session_key = ? AND conversations.n > ? ORDER BY conversations.n LIMIT ?`,
          filter.sessionKey,
          after,
          filter.limit + 1,
        );
  return toPage(rows, {
    limit: filter.limit,
    cursorOf: (row) => encodeId("p", numberOf(row, "n")),
    decode: (row) => ({
      sessionId: textOf(row, "session_id"),
      sessionKey: textOf(row, "session_key"),
      agentId: textOf(row, "agent_id"),
      startedAtMs: numberOf(row, "started_at"),
      activeAtMs: row["active_at"] === null ? numberOf(row, "started_at") : numberOf(row, "active_at"),
      isEnded: row["session"] === null,
      copyBytes: numberOf(row, "copied_bytes"),
      ...entriesOf(row),
      ...(row["is_private"] === null ? {} : { isPrivate: row["is_private"] === 1 }),
    }),
  });
}

function entriesOf(row: Row): Pick<ConversationRecord, "lastEntryId" | "keptFromId"> {
  const [last, keptFrom] = [numberOf(row, "last_entry"), optionalNumber(row, "kept_from")];
  return {
    ...(last === 0 ? {} : { lastEntryId: encodeId("e", last) }),
    ...(keptFrom === undefined ? {} : { keptFromId: encodeId("e", keptFrom) }),
  };
}
